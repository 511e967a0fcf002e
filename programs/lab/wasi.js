// wasi.js: what a program compiled to WebAssembly asks of its system (WASI, preview 1): files,
// which are in memory here, the clock, random numbers, and lines to print.

// Numbers of errors, and of the kinds of files.
const BADF = 8, EXIST = 20, INVAL = 28, NOENT = 44, NOTDIR = 54, NOTEMPTY = 55, NOTSUP = 58;
const DIRECTORY = 3, FILE = 4, TERMINAL = 2;

// Files by their paths, without a slash in front. A directory is {list: true}, and "" is the root.
class Files {
  constructor() {
    this.made = 0;
    this.nodes = new Map([["", this.node({list: true})]]);
  }
  node(members) { return {...members, number: ++this.made, written: Date.now()}; }

  // What "a/./b/../c" means in a directory.
  static path(directory, name) {
    const parts = [];
    for (const part of `${name[0] === "/" ? "" : directory}/${name}`.split("/"))
      if (part === "..") parts.pop();
      else if (part && part !== ".") parts.push(part);
    return parts.join("/");
  }

  names(directory) {
    const front = directory && directory + "/";
    return [...this.nodes.keys()].filter(path =>
      path && path.startsWith(front) && !path.slice(front.length).includes("/"))
      .map(path => path.slice(front.length));
  }
  read(path) {
    const node = this.nodes.get(path);
    return node && !node.list ? node.bytes.subarray(0, node.size) : null;
  }
  write(path, bytes) {
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1))
      if (!this.nodes.has(path.slice(0, slash)))
        this.nodes.set(path.slice(0, slash), this.node({list: true}));
    this.nodes.set(path, this.node({bytes, size: bytes.length}));
  }
}

// Room for `size` bytes; it doubles, so that appending costs the same for each byte.
function grow(node, size) {
  if (size > node.bytes.length) {
    const bytes = new Uint8Array(Math.max(size, 2 * node.bytes.length));
    bytes.set(node.bytes.subarray(0, node.size));
    node.bytes = bytes;
  }
  node.size = Math.max(node.size, size);
}

// A program that ends throws this.
class Exit {
  constructor(status) { this.status = status; }
}

// The functions that a module imports; those that are not here are not supported. print gets whole
// lines of standard output (1) and standard error (2); the environment is the language. The module's
// memory is set after it is instantiated.
class Wasi {
  constructor(module, files, print, language) {
    const environment = new TextEncoder().encode(`LANG=${language}\0`);
    Object.assign(this, {files, print, environment, held: ["", "", ""], next: 5});
    this.open = new Map([0, 1, 2].map(file => [file, {kind: TERMINAL}]));
    this.open.set(3, {kind: DIRECTORY, path: "", name: "."});
    this.open.set(4, {kind: DIRECTORY, path: "", name: "/"});
    this.imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({name}) =>
      [name, this[name] ? this[name].bind(this) : () => NOTSUP]));
  }

  /* ---- The program's memory ---- */

  get view() { return new DataView(this.memory.buffer); }
  get bytes() { return new Uint8Array(this.memory.buffer); }
  put(at, value) { this.view.setUint32(at, value, true); return 0; }
  put64(at, value) { this.view.setBigUint64(at, BigInt(value), true); return 0; }
  text(at, size) { return new TextDecoder().decode(this.bytes.slice(at, at + size)); }
  path(directory, at, size) {
    return Files.path(this.open.get(directory).path, this.text(at, size));
  }

  // Copies between a file and the pieces of memory, [address, size], that are read to or written
  // from: copy(from, address, size) says how much. What of it is done is put, and returned.
  move(offset, at, count, done, copy) {
    let all = 0;
    for (let i = at; i < at + 8 * count; i += 8)
      all += copy(offset + all, this.view.getUint32(i, true), this.view.getUint32(i + 4, true));
    this.put(done, all);
    return all;
  }
  take(node, ...about) {
    return this.move(...about, (from, at, size) => {
      const part = node.bytes.subarray(from, Math.min(from + size, node.size));
      this.bytes.set(part, at);
      return part.length;
    });
  }
  give(node, ...about) {
    node.written = Date.now();
    return this.move(...about, (from, at, size) => {
      grow(node, from + size);
      node.bytes.set(this.bytes.subarray(at, at + size), from);
      return size;
    });
  }
  put_status(at, kind, node) {
    this.bytes.fill(0, at, at + 64);
    this.put64(at + 8, node.number || 0);
    this.view.setUint8(at + 16, kind);
    this.put64(at + 24, 1);
    this.put64(at + 32, node.size || 0);
    for (const time of [40, 48, 56]) this.put64(at + time, (node.written || 0) * 1e6);
    return 0;
  }

  /* ---- The process ---- */

  environ_sizes_get(count, size) {
    return this.put(count, 1) || this.put(size, this.environment.length);
  }
  environ_get(starts, at) {
    this.bytes.set(this.environment, at);
    return this.put(starts, at);
  }
  clock_time_get(clock, _, at) {
    return this.put64(at, Math.round((clock ? performance.now() : Date.now()) * 1e6));
  }
  random_get(at, size) { crypto.getRandomValues(this.bytes.subarray(at, at + size)); return 0; }
  proc_exit(status) { throw new Exit(status); }

  /* ---- Open files ---- */

  fd_close(file) { return this.open.delete(file) ? 0 : BADF; }
  fd_sync() { return 0; }
  fd_fdstat_set_flags() { return 0; }
  fd_fdstat_get(file, at) {
    const open = this.open.get(file);
    if (!open) return BADF;
    this.bytes.fill(0, at, at + 24);
    this.view.setUint8(at, open.kind);
    this.view.setUint16(at + 2, open.append ? 1 : 0, true);
    this.put64(at + 8, 0x1fffffff);
    return this.put64(at + 16, 0x1fffffff);
  }
  fd_filestat_get(file, at) {
    const open = this.open.get(file);
    return open ? this.put_status(at, open.kind, open.node || this.files.nodes.get(open.path) || {})
                : BADF;
  }
  fd_prestat_get(file, at) {
    const {name} = this.open.get(file) || {};
    return name ? this.put(at, 0) || this.put(at + 4, name.length) : BADF;
  }
  fd_prestat_dir_name(file, at) {
    this.bytes.set(new TextEncoder().encode(this.open.get(file).name), at);
    return 0;
  }
  fd_read(file, at, count, done) {
    const open = this.open.get(file);
    if (!open.node) return this.put(done, 0);
    open.offset += this.take(open.node, open.offset, at, count, done);
    return 0;
  }
  fd_pread(file, at, count, offset, done) {
    this.take(this.open.get(file).node, Number(offset), at, count, done);
    return 0;
  }
  fd_write(file, at, count, done) {
    const open = this.open.get(file);
    if (!open.node) return this.print_lines(file, at, count, done);
    if (open.append) open.offset = open.node.size;
    open.offset += this.give(open.node, open.offset, at, count, done);
    return 0;
  }
  fd_pwrite(file, at, count, offset, done) {
    this.give(this.open.get(file).node, Number(offset), at, count, done);
    return 0;
  }
  print_lines(file, ...about) {
    this.move(0, ...about, (_, at, size) => {
      this.held[file] += this.text(at, size);
      return size;
    });
    const lines = this.held[file].split("\n");
    this.held[file] = lines.pop();
    for (const line of lines) this.print(line, file);
    return 0;
  }
  fd_seek(file, by, from, at) {
    const open = this.open.get(file);
    if (!open.node) return INVAL;
    open.offset = Number(by) + [0, open.offset, open.node.size][from];
    return this.put64(at, open.offset);
  }
  fd_tell(file, at) { return this.put64(at, this.open.get(file).offset); }

  // Each entry: the number of the next one, 24 bytes in all, then the name. What does not fit is
  // cut.
  fd_readdir(file, at, size, from, done) {
    const {path} = this.open.get(file);
    let used = 0;
    this.files.names(path).forEach((name, i) => {
      if (i < Number(from) || used >= size) return;
      const encoded = new TextEncoder().encode(name), entry = new Uint8Array(24 + encoded.length);
      const node = this.files.nodes.get(Files.path(path, name)), view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setBigUint64(8, BigInt(node.number), true);
      view.setUint32(16, encoded.length, true);
      view.setUint8(20, node.list ? DIRECTORY : FILE);
      entry.set(encoded, 24);
      const shown = entry.subarray(0, size - used);
      this.bytes.set(shown, at + used);
      used += shown.length;
    });
    return this.put(done, used);
  }

  /* ---- Paths ---- */

  path_open(directory, _, at, size, how, rights, inherited, flags, done) {
    const CREATE = 1, MUST_LIST = 2, MUST_NOT_EXIST = 4, EMPTY = 8, APPEND = 1;
    const path = this.path(directory, at, size), {nodes} = this.files;
    let node = nodes.get(path);
    if (node && how & MUST_NOT_EXIST) return EXIST;
    if (!node && !(how & CREATE)) return NOENT;
    if (how & MUST_LIST && !(node && node.list)) return NOTDIR;
    if (!node) nodes.set(path, node = this.files.node({bytes: new Uint8Array(0), size: 0}));
    if (how & EMPTY && !node.list) node.size = 0;
    this.open.set(this.next, node.list ? {kind: DIRECTORY, path}
      : {kind: FILE, node, offset: 0, append: flags & APPEND});
    return this.put(done, this.next++);
  }
  path_filestat_get(directory, _, at, size, status) {
    const node = this.files.nodes.get(this.path(directory, at, size));
    return node ? this.put_status(status, node.list ? DIRECTORY : FILE, node) : NOENT;
  }
  path_create_directory(directory, at, size) {
    const path = this.path(directory, at, size);
    if (this.files.nodes.has(path)) return EXIST;
    this.files.nodes.set(path, this.files.node({list: true}));
    return 0;
  }
  path_remove_directory(directory, at, size) {
    const path = this.path(directory, at, size);
    if (this.files.names(path).length) return NOTEMPTY;
    return this.files.nodes.delete(path) ? 0 : NOENT;
  }
  path_rename(from, at, size, to, new_at, new_size) {
    const path = this.path(from, at, size), other = this.path(to, new_at, new_size);
    if (!this.files.nodes.has(path)) return NOENT;
    for (const [inner, node] of [...this.files.nodes])
      if (inner === path || inner.startsWith(path + "/")) {
        this.files.nodes.delete(inner);
        this.files.nodes.set(other + inner.slice(path.length), node);
      }
    return 0;
  }
  path_link(from, _, at, size, to, new_at, new_size) {
    const other = this.path(to, new_at, new_size);
    if (this.files.nodes.has(other)) return EXIST;
    this.files.nodes.set(other, this.files.nodes.get(this.path(from, at, size)));
    return 0;
  }
  path_unlink_file(directory, at, size) {
    return this.files.nodes.delete(this.path(directory, at, size)) ? 0 : NOENT;
  }
}

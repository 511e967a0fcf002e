// worker.js: trains in a thread of its own, so that the page stays awake. It gets orders and
// answers with what there is to show:
//
//     {start: {program, language, files, words, text}}   a new run: the files that it may read, the
//                                        words of its command, the text that the page reads first
//     {go: true, pace}                   on, with a step every `pace` milliseconds at most
//     {go: false}, {step: 1}             pause, one step
//     {longer: words}                    saves the run and resumes it with this command
//     {save: true}                       the files of the run, as it is now
//
//     {line, error}                      a line that the program prints
//     {page, config}                     that page, and what was chosen for the run
//     {rows, weights}                    the steps that were taken, and the model's weights
//     {files}                            {name: bytes}
//     {over: status}                     the end, or a message that ended it

let lab = null;

// The members of a Row in lab.c.
const MEMBERS =
  ["step", "loss", "evaluated", "rate", "floor", "counting", "uniform", "frequencies", "steps"];

class Lab {
  constructor(module, language, files, words) {
    Object.assign(this, {module, language, files});
    this.wasi = new Wasi(module, files, (line, file) => postMessage({line, error: file === 2}),
      language);
    const {exports} = new WebAssembly.Instance(module, {wasi_snapshot_preview1: this.wasi.imports});
    this.wasi.memory = exports.memory;
    this.exports = exports;
    exports._initialize();
    this.run = exports.lab_open(this.strings(words));
  }
  // Strings, each with a 0 after it, and an empty one at the end.
  strings(words) {
    const bytes = new TextEncoder().encode(words.map(word => word + "\0").join("") + "\0");
    const at = this.exports.lab_room(bytes.length);
    this.wasi.bytes.set(bytes, at);
    return at;
  }
  row() {
    const at = this.exports.lab_row(this.run), numbers = new Float64Array(MEMBERS.length);
    MEMBERS.forEach((_, i) => numbers[i] = this.wasi.view.getFloat64(at + 8 * i, true));
    return Object.fromEntries(MEMBERS.map((name, i) =>
      [name, isNaN(numbers[i]) ? null : numbers[i]]));
  }
  // The steps in the log of a run that goes on.
  logged() {
    const text = new TextDecoder().decode(this.files.read("run/log.csv") || new Uint8Array());
    const [names, ...lines] = text.trim().split("\n").map(line => line.split(","));
    const number = (line, name) => {
      const cell = line[names.indexOf(name)];
      return cell && Number.isFinite(Number(cell)) ? Number(cell) : null;
    };
    return lines.map(line => ({
      ...this.row(), step: number(line, "step"), loss: number(line, "loss"),
      evaluated: number(line, "evaluated"), rate: number(line, "learning_rate"),
    }));
  }
  weights() {
    const at = this.exports.lab_weights(this.run), size = this.exports.lab_size(this.run);
    return new Float32Array(this.wasi.memory.buffer.slice(at, at + 4 * size));
  }
  // Writes the run's files, if that is not done since it has ended.
  save() {
    if (!this.ended) this.exports.lab_save(this.run);
  }
  saved() {
    this.save();
    return Object.fromEntries([...this.files.nodes.keys()].filter(path => path.startsWith("run/"))
      .map(path => [path, this.files.read(path)]).filter(([, bytes]) => bytes)
      .map(([path, bytes]) => [path, bytes.slice()]));
  }
  page(text) {
    this.exports.lab_page(this.run, this.strings([text]));
    return new TextDecoder().decode(this.files.read("page.html"));
  }
}

let turn = 0;

function show(rows = [lab.row()]) {
  const weights = lab.weights();
  postMessage({rows, weights}, [weights.buffer]);
}

// Takes the steps that are due, for a while, then lets orders come in. After a longer pause of the
// browser it does not catch up.
const BUSY = 60;
function train(mine, pace, due) {
  if (mine !== turn) return;
  attempt(() => {
    const until = performance.now() + BUSY, rows = [];
    let more = true, now;
    do {
      more = lab.exports.lab_step(lab.run);
      rows.push(lab.row());
      now = performance.now();
      due = Math.max(due + pace, now - BUSY);
    } while (more && now < until && due <= now);
    show(rows);
    if (!more) end();
    else setTimeout(train, due - now, mine, pace, due);
  });
}

function end() {
  lab.ended = true;
  lab.exports.lab_end(lab.run);
  postMessage({over: 0});
}

// What ends the program ends the run: its last line says why, also after --help, whose status is 0.
function attempt(what) {
  try {
    what();
  } catch (error) {
    turn++;
    lab = null;
    postMessage({over: error instanceof Exit ? error.status || 1 : `${error}\n${error.stack}`});
  }
}

onmessage = ({data: order}) => attempt(() => {
  if (order.start) {
    const files = new Files();
    for (const [name, bytes] of Object.entries(order.start.files)) files.write(name, bytes);
    lab = new Lab(order.start.program, order.start.language, files, order.start.words);
    const config = JSON.parse(new TextDecoder().decode(files.read("run/config.json"))).pulga;
    postMessage({page: lab.page(order.start.text), config});
    show([...lab.logged(), lab.row()]);
  }
  if (!lab) return;
  if (order.longer) {
    lab.save();
    lab = new Lab(lab.module, lab.language, lab.files, order.longer);
  }
  if (order.go !== undefined) {
    turn++;
    if (order.go) setTimeout(train, 0, turn, order.pace, performance.now());
  }
  if (order.save) postMessage({files: lab.saved()});
  if (order.step) {
    turn++;
    if (!lab.exports.lab_step(lab.run)) end();
    show();
  }
});

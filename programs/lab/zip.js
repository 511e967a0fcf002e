// zip.js: files as one .zip, which is not compressed, and back; compressed ones are also read.

const CRC = Uint32Array.from({length: 256}, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1;
  return n;
});
function crcOf(bytes) {
  let crc = -1;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 255] ^ crc >>> 8;
  return ~crc >>> 0;
}

// Numbers of two or four bytes, the lowest first: [[2, 20], [4, crc]] …
function packed(numbers) {
  const bytes = [];
  for (const [size, number] of numbers)
    for (let i = 0; i < size; i++) bytes.push(number / 2 ** (8 * i) & 255);
  return new Uint8Array(bytes);
}

// {name: bytes} -> a Blob. Each file has a header before it, and an entry in the list at the end.
function zipOf(files) {
  const parts = [], entries = [];
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const letters = new TextEncoder().encode(name), UTF8 = 1 << 11;
    const about = [[2, 20], [2, UTF8], [2, 0], [2, 0], [2, 33], [4, crcOf(bytes)],
      [4, bytes.length], [4, bytes.length], [2, letters.length], [2, 0]];
    const header = packed([[4, 0x04034b50], ...about]);
    entries.push(packed([[4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0],
      [4, at]]), letters);
    parts.push(header, letters, bytes);
    at += header.length + letters.length + bytes.length;
  }
  const size = entries.reduce((sum, {length}) => sum + length, 0), count = entries.length / 2;
  return new Blob([...parts, ...entries,
    packed([[4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]])],
  {type: "application/zip"});
}

// The bytes of a .zip -> {name: bytes}, or null if they are none. Folders are left out.
async function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), files = {};
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) return null;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const method = view.getUint16(at + 10, true), size = view.getUint32(at + 20, true);
    const letters = view.getUint16(at + 28, true), header = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + letters));
    const about = view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const from = header + 30 + about;
    const stored = bytes.subarray(from, from + size);
    if (!name.endsWith("/"))
      files[name] = method === 0 ? stored : new Uint8Array(await new Response(new Blob([stored])
        .stream().pipeThrough(new DecompressionStream("deflate-raw"))).arrayBuffer());
    at += 46 + letters + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return files;
}

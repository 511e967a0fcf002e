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

// The list at the end of a .zip: [{name, method, check, size, packed}], the last being the file's
// bytes in it. Folders are left out. What is damaged throws an error, here and below.
function listOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), list = [];
  let end = bytes.length - 22;
  while (view.getUint32(end, true) !== 0x06054b50) end--;
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    const [check, length, size] = [16, 20, 24].map(place => view.getUint32(at + place, true));
    const letters = view.getUint16(at + 28, true), header = view.getUint32(at + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + letters))
      .replaceAll("\\", "/"); // as some programs of Windows write it
    const about = view.getUint16(header + 26, true) + view.getUint16(header + 28, true);
    const from = header + 30 + about;
    if (!name.endsWith("/"))
      list.push({name, method: view.getUint16(at + 10, true), check, size,
        packed: bytes.subarray(from, from + length)});
    at += 46 + letters + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return list;
}

// Inflates no more than the size that the list has: set() refuses what does not fit.
async function inflated(packed, size) {
  const file = new Uint8Array(size);
  const pieces = new Blob([packed]).stream()
    .pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  let at = 0;
  for (let piece; !(piece = await pieces.read()).done; at += piece.value.length)
    file.set(piece.value, at);
  return file;
}

async function unzipped({method, check, size, packed}) {
  const file = method === 0 ? packed : await inflated(packed, size);
  if (crcOf(file) !== check) throw new Error("wrong checksum");
  return file;
}

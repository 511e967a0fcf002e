// pattern.js: which keys a head lets a query attend to, as model/shape/pattern.c has it.

// "summary 8:2" -> {kind: "summary", size: 8, last: 2}
function pattern_parse(text) {
  const [kind, size, last] = text.split(/[ :]/);
  return {kind, size: Number(size), last: Number(last)};
}

// Whether a query attends to a key; both are places in the text. The first `prefix` tokens see each
// other, later ones too; all others see only themselves and what stands before. The pattern, such
// as "window 8", leaves out some of these keys.
function pattern_attends({kind, size, last}, query, key, prefix) {
  if (key > query && (query >= prefix || key >= prefix)) return false;
  switch (kind) {
  case "window": return Math.abs(query - key) < size;
  case "strided": return (query - key) % size === 0;
  case "fixed": return Math.floor(query / size) === Math.floor(key / size);
  case "summary": return key === query || key % size >= size - last;
  }
  return true; // "all"
}

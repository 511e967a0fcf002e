// pattern.js: which keys a head lets a query attend to, as model/shape/pattern.c has it.

// "summary 8:2" -> {kind: "summary", size: 8, last: 2}
function pattern_parse(text) {
  const [kind, size, last] = text.split(/[ :]/);
  return {kind, size: Number(size), last: Number(last)};
}

// A query attends to keys before this place. The first `prefix` tokens also see those of them that
// come later; all others see only themselves and what stands before.
function key_limit(query, prefix) {
  return query < prefix ? prefix : query + 1;
}

// Whether a query attends to a key before its limit: some patterns, such as "window 8", omit keys.
function pattern_attends({kind, size, last}, query, key) {
  switch (kind) {
  case "window": return Math.abs(query - key) < size;
  case "strided": return (query - key) % size === 0;
  case "fixed": return Math.floor(query / size) === Math.floor(key / size);
  case "summary": return key === query || key % size >= size - last;
  }
  return true; // "all"
}

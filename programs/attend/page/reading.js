// reading.js: what the model reads now, and where its heads look. A page with a model computes the
// attention maps; one without has those of one text, packed.
//
// weights(head): T rows (queries) of T (keys), -1 if the query cannot attend to the key.

const tokenizer = data.model ? new Tokens(data.tokenizer) : null;
const counts = data.model && data.counts ? new Counts(data.counts, tokenizer) : null;
const mixture = counts && data.mixture ? new Mixture(data.mixture, counts.ids, tokenizer) : null;
const modelOf = numbers => Object.assign(new Model(data.model, numbers), {mixture});
let model = data.model ? modelOf(floatsOf(at("weights").textContent)) : null;

const SMALL_SIDE = 96; // squares along a side of a small picture, at most

// The small picture of a head: of each square the largest weight, because a mean would hide a line
// of single cells; -1 if it has none.
function smallOf(weights, T) {
  const side = Math.min(T, SMALL_SIDE), small = new Float32Array(side * side).fill(-1);
  for (let query = 0; query < T; query++)
    for (let key = 0; key < T; key++) {
      const square = Math.floor(query * side / T) * side + Math.floor(key * side / T);
      small[square] = Math.max(small[square], weights[query * T + key]);
    }
  return small;
}

// Means over the rows, as attend prints them: null where no row has such a key.
function summaryOf(weights, T, begun) {
  let entropy = 0, back = 0, itself = 0, before = 0, after = 0, seen = 0, bos = 0;
  for (let query = 0; query < T; query++)
    for (let key = 0; key < T; key++) {
      const weight = weights[query * T + key];
      if (key === query + 1 && weight >= 0) seen++;
      if (weight <= 0) continue;
      entropy -= weight * Math.log2(weight);
      back += weight * Math.abs(query - key);
      if (key === query) itself += weight;
      if (key === query - 1) before += weight;
      if (key === query + 1) after += weight;
      if (key === 0 && query > 0) bos += weight;
    }
  return {entropy_bits: entropy / T, back: back / T, itself: itself / T,
    before: T > 1 ? before / (T - 1) : null, after: seen ? after / seen : null,
    bos: T > 1 && begun ? bos / (T - 1) : null};
}

// The one text of a page without a model. A head is unpacked when it is first shown, and stays
// while there is room.
class PackedReading {
  constructor() {
    this.words = data.words;
    this.source = data.source < data.words.length ? data.source : 0;
    this.prefix = data.prefix;
    this.packed = document.getElementsByClassName("packed");
    this.unpacked = new Map();
  }
  get T() { return this.words.length; }
  summary(head) { return data.heads[head].summary; }
  small(head) {
    return Float32Array.from(bytesOf(data.heads[head].small), root =>
      root === 255 ? -1 : (root / 254) ** 2);
  }
  weights(head) {
    if (!this.unpacked.has(head)) {
      const most = 4 + 16e6 / this.T ** 2;
      if (this.unpacked.size > most) this.unpacked.delete(this.unpacked.keys().next().value);
      this.unpacked.set(head, this.unpack(head));
    }
    return this.unpacked.get(head);
  }
  unpack(head) {
    const T = this.T, weights = new Float32Array(T * T).fill(-1);
    const bytes = bytesOf(this.packed[head].textContent);
    let next = 0;
    for (let query = 0; query < T; query++)
      for (const [first, last] of data.heads[head].ranges[query]) // counted from 1
        for (let key = first - 1; key < last; key++, next += 2)
          weights[query * T + key] = (bytes[next] | bytes[next + 1] << 8) / 10000;
    return weights;
  }
}

// A text that the model in the page has just read. What is computed of a head is kept.
class LiveReading {
  constructor(model, tokenizer, encoding, result) {
    this.ids = encoding.ids;
    this.nameWords();
    this.source = encoding.source < encoding.ids.length ? encoding.source : 0;
    this.prefix = encoding.prefix;
    this.result = result || model.read(encoding.ids, this.prefix);
    this.begun = encoding.ids[0] === tokenizer.bos;
    this.maps = this.result.maps.flat();
    this.smalls = [];
    this.summaries = [];
    this.expectations = [];
  }
  get T() { return this.words.length; }
  nameWords() { this.words = this.ids.map(id => tokenizer.shown(id)); }
  weights(head) { return this.maps[head]; }
  // A row of what softmax makes the weights of: the scores of a query; −Infinity where it cannot
  // attend to the key.
  scores(head, query) {
    const {model, qkv} = this.result, {heads} = model, row = qkv[Math.floor(head / heads)];
    const weights = this.maps[head].subarray(query * this.T, (query + 1) * this.T);
    return Array.from(weights, (weight, key) =>
      weight < 0 ? -Infinity : score(model, head % heads, row, query, key));
  }
  // What the model expected in the place of token i: the scores of all tokens, at `word` of `ids`;
  // and the surprise of the token, −log2 p, in bits. null if it is not predicted: the first one, a
  // source, [mask].
  expected(i) {
    if (!(i in this.expectations)) this.expectations[i] = this.expect(i);
    return this.expectations[i];
  }
  // A model that fills gaps reads the text with that token hidden.
  expect(i) {
    const {bos, eos, sep, mask, objective} = tokenizer, gaps = objective === "masked";
    const id = this.ids[i], first = Math.max(1, this.ids.indexOf(sep) + 1);
    if (gaps ? [bos, eos, mask].includes(id) : i < first) return null;
    const ids = gaps ? this.ids.map((other, at) => at === i ? mask : other) : this.ids;
    const word = gaps ? i : i - 1, {model} = this.result;
    const scores = (gaps ? model.read(ids, this.prefix) : this.result).logitsAt(word);
    return {ids, word, scores, bits: -Math.log2(softmax(scores)[id])};
  }
  small(head) {
    if (!this.smalls[head]) this.smalls[head] = smallOf(this.maps[head], this.T);
    return this.smalls[head];
  }
  summary(head) {
    if (!this.summaries[head])
      this.summaries[head] = summaryOf(this.maps[head], this.T, this.begun);
    return this.summaries[head];
  }
}

let reading = null; // the one that is shown
const seesAhead = (query, key) => query < reading.prefix && key < reading.prefix;
// A head that shares its keys and values says with which.
function headName(index) {
  const {layer, head} = data.heads[index], {heads, "key-heads": keys = heads} = data.model || {};
  const name = say("head_name", {layer, head}), group = heads / keys;
  const first = Math.floor((head - 1) / group) * group + 1;
  return group > 1 ? name + say("head_shares", {first, last: first + group - 1}) : name;
}

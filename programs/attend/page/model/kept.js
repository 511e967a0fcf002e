// kept.js: what a model has computed from some tokens:
//
//     stream[0 … L] (T, C)    the embedding, and what it has become after each layer
//     qkv[layer] (T, (H + 2K)·D)   queries, keys and values of all heads
//     maps[layer][head] (T, T)   the weight of each key for each query; -1 if it cannot attend
//
// The rows of a token depend on those before it only, or in a prefix on all of the prefix. So the
// first `known` rows are taken over from the last text if it began in the same way. (Programs that
// chat keep the keys and values of what they have read for the same reason: a KV cache.)
class Kept {
  constructor(model, ids, prefix, last) {
    Object.assign(this, {model, ids, prefix, last, stream: [], qkv: []});
    this.maps = model.patterns.map(() => []);
    this.known = last && last.prefix === prefix ? this.sameBeginning(last.ids) : 0;
    if (this.known < prefix) this.known = 0;
  }

  // How many of the first tokens are the same in another text; at most all but the last.
  sameBeginning(others) {
    const differs = this.ids.findIndex((id, i) => id !== others[i]);
    return Math.min(differs < 0 ? Infinity : differs, this.ids.length - 1);
  }

  // Keeps new rows after those that are known already. Returns the new ones.
  keep(name, layer, rows) {
    this.keepAll(name, layer, rows);
    return rows;
  }

  // Keeps new rows, and returns all.
  keepAll(name, layer, rows) {
    const width = rows.length / (this.ids.length - this.known);
    const all = new Float32Array(this.ids.length * width);
    if (this.known) all.set(this.last[name][layer].subarray(0, this.known * width));
    all.set(rows, this.known * width);
    return this[name][layer] = all;
  }

  // A map with the rows that are known already.
  newMap(layer, head) {
    const T = this.ids.length, map = new Float32Array(T * T).fill(-1);
    for (let i = 0; i < this.known; i++) {
      const from = i * this.last.ids.length;
      map.set(this.last.maps[layer][head].subarray(from, from + this.known), i * T);
    }
    this.maps[layer].push(map);
    return map;
  }

  // The scores (V) of what comes after a position, or of what stands there if the model fills gaps,
  // as if the model ended after `layers` layers: 0 is the embedding, L the whole model.
  logitsAt(position, layers = this.model.layers) {
    const C = this.model.width, stream = this.stream[layers];
    const row = stream.subarray(position * C, (position + 1) * C);
    const logits = gpt_next_logits(this.model, row), {mixture} = this.model;
    return mixture && layers === this.model.layers
      ? mixture.mix(this.ids.slice(0, position + 1), logits) : logits;
  }

  get logits() {
    return this.logitsAt(this.ids.length - 1);
  }
}

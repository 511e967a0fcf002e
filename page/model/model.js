// model.js: the model's forward pass, from the ids of some tokens to a score for every token that
// may come next. It computes what model/ computes in C, by the same names, only slower:
//
//     const model = new Model(data.model, numbers);
//     const reading = model.read([0, 2, 3]);       // the ids of [bos] el perro
//     softmax(reading.logits)                      // the probability of each next token
//     reading.maps[1][2]                           // what the third head of layer 2 attends to
//
// The letters of the sizes: T tokens that are read, L layers, H heads, D width of one head, C width
// of the model, F hidden width of the feed-forward layer, V vocabulary. An array "x (T, C)" holds T
// rows of C numbers, one row after another: number c of row i is x[i * C + c].

// y = x·W + b, for each row:  x (T, rows), W (rows, cols), b (cols) -> y (T, cols)
function linear(x, W, b) {
  const cols = b.length, rows = W.length / cols, T = x.length / rows;
  const y = new Float32Array(T * cols);
  for (let i = 0; i < T; i++) {
    const sum = Float64Array.from(b);
    for (let r = 0; r < rows; r++) {
      const factor = x[i * rows + r], from = r * cols;
      for (let c = 0; c < cols; c++)
        sum[c] += factor * W[from + c];
    }
    y.set(sum, i * cols);
  }
  return y;
}

// y = gain∘(x − mean)/√(variance + 1e-5) + bias, for each row:  x (T, C), gain (C), bias (C)
function layerNorm(x, gain, bias) {
  const C = gain.length, y = new Float32Array(x.length);
  for (let from = 0; from < x.length; from += C) {
    let mean = 0, variance = 0;
    for (let c = 0; c < C; c++)
      mean += x[from + c] / C;
    for (let c = 0; c < C; c++)
      variance += (x[from + c] - mean) ** 2 / C;
    const scale = 1 / Math.sqrt(variance + 1e-5);
    for (let c = 0; c < C; c++)
      y[from + c] = gain[c] * (x[from + c] - mean) * scale + bias[c];
  }
  return y;
}

// max(0, h), or a smooth curve close to it: h·(1 + tanh u)/2 with u = √(2/π)·(h + 0.044715 h³).
const ACTIVATIONS = {
  relu: h => Math.max(0, h),
  gelu: h => h / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (h + 0.044715 * h ** 3))),
};

// Scores become probabilities: p_j = e^score_j / Σ e^score. The largest score is subtracted first,
// so that no e^score is too large for a number; that changes no p.
function softmax(scores) {
  const p = new Float64Array(scores.length);
  let top = -Infinity, sum = 0;
  for (const score of scores)
    top = Math.max(top, score);
  for (let j = 0; j < p.length; j++)
    sum += p[j] = Math.exp(scores[j] - top);
  return p.map(e => e / sum);
}

// a + b, number by number.
function add(a, b) {
  return a.map((number, i) => number + b[i]);
}

// Whether a head lets a query attend to a key; both are places in the text. The first `prefix`
// tokens see each other, later ones too; all others see only themselves and what stands before.
// The pattern, such as "window 8", leaves out some of these keys.
function patternAttends({kind, size, last}, query, key, prefix) {
  if (key > query && (query >= prefix || key >= prefix)) return false;
  switch (kind) {
  case "window": return Math.abs(query - key) < size;
  case "strided": return (query - key) % size === 0;
  case "fixed": return Math.floor(query / size) === Math.floor(key / size);
  case "summary": return key === query || key % size >= size - last;
  }
  return true; // "all"
}

// "summary 8:2" -> {kind: "summary", size: 8, last: 2}
function patternOf(text) {
  const [kind, size, last] = text.split(/[ :]/);
  return {kind, size: Number(size), last: Number(last)};
}

// Base64 of little-endian float32 numbers, as the page holds them -> Float32Array
function floatsOf(base64) {
  const bytes = Uint8Array.from(atob(base64.trim()), letter => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

class Model {
  // config: the sizes and choices of a model, and where each of its tensors is in `numbers`.
  constructor(config, numbers) {
    Object.assign(this, config);
    this.rules = config.patterns.map(heads => heads.map(patternOf));
    this.tensors = {};
    for (const {name, at, shape} of config.tensors)
      this.tensors[name] = numbers.subarray(at, at + shape.reduce((a, b) => a * b));
    if (this.tied) this.tensors["lm_head.weight"] = this.tensors["wte.weight"];
  }

  // The two tensors of a linear layer or a layer norm.
  weights(name) {
    return [this.tensors[name + ".weight"], this.tensors[name + ".bias"]];
  }

  // Reads some tokens; see Reading for what comes of it. If the text begins as the last one did,
  // only the rows of its other tokens are computed.
  read(ids, prefix = 0) {
    const reading = new Reading(this, ids, prefix, this.last);
    let x = reading.keep("stream", 0, this.embed(ids, reading.known));
    for (let layer = 0; layer < this.layers; layer++)
      x = reading.keep("stream", layer + 1, this.block(x, layer, reading));
    reading.last = null; // else no text would ever be forgotten
    return this.last = reading;
  }

  // x = wte[token] + wpe[position] (T, C): what each token is, and where it stands. The first
  // `known` tokens are left out, here and in all that follows: their rows are there already.
  embed(ids, known) {
    const C = this.width, x = new Float32Array((ids.length - known) * C);
    const {"wte.weight": wte, "wpe.weight": wpe} = this.tensors; // (V, C), (context, C)
    ids.slice(known).forEach((id, i) => {
      for (let c = 0; c < C; c++)
        x[i * C + c] = wte[id * C + c] + wpe[(known + i) * C + c];
    });
    return x;
  }

  // One layer, x (T, C) -> (T, C): attention and feed-forward, each added to what it has read.
  block(x, layer, reading) {
    const name = `h.${layer}.`;
    const norm1 = y => layerNorm(y, ...this.weights(name + "ln_1"));
    const norm2 = y => layerNorm(y, ...this.weights(name + "ln_2"));
    const attention = y => this.attention(y, layer, reading);
    const feedForward = y => {
      const hidden = linear(y, ...this.weights(name + "mlp.c_fc")); // (T, F)
      return linear(hidden.map(ACTIVATIONS[this.activation]), ...this.weights(name + "mlp.c_proj"));
    };
    if (this.norm === "pre") {
      x = add(x, attention(norm1(x)));
      return add(x, feedForward(norm2(x)));
    }
    x = norm1(add(x, attention(x)));
    return norm2(add(x, feedForward(x)));
  }

  // All heads of a layer: q | k | v = x·Wqkv + bqkv, each H heads of D side by side (T, 3·H·D).
  // What the heads mix (T, H·D) goes through the output projection.
  attention(x, layer, reading) {
    const name = `h.${layer}.attn.`;
    const qkv = reading.keepAll("qkv", layer, linear(x, ...this.weights(name + "c_attn")));
    const mixed = new Float32Array(x.length / this.width * this.heads * this.head_size);
    for (let head = 0; head < this.heads; head++)
      this.head(qkv, mixed, head, this.rules[layer][head], reading.newMap(layer, head), reading);
    return linear(mixed, ...this.weights(name + "c_proj"));
  }

  // One head: P = softmax(q·kᵀ/√D) over the keys that each query attends to, and mixed = P·v.
  // map (T, T) receives P: row i has the weights of query i.
  head(qkv, mixed, head, rule, map, {known, prefix}) {
    const D = this.head_size, HD = this.heads * D, T = qkv.length / (3 * HD);
    for (let i = known; i < T; i++) {
      const q = i * 3 * HD + head * D, out = (i - known) * HD + head * D, keys = [];
      for (let j = 0; j < T; j++)
        if (patternAttends(rule, i, j, prefix))
          keys.push(j);
      const scores = keys.map(j => {
        const k = j * 3 * HD + HD + head * D;
        let sum = 0;
        for (let d = 0; d < D; d++)
          sum += qkv[q + d] * qkv[k + d];
        return sum / Math.sqrt(D);
      });
      softmax(scores).forEach((p, n) => {
        const j = keys[n], v = j * 3 * HD + 2 * HD + head * D;
        map[i * T + j] = p;
        for (let d = 0; d < D; d++)
          mixed[out + d] += p * qkv[v + d];
      });
    }
  }

  // logits = x·Wᵀ: the score of each token, from one row x (C) and W (V, C) -> (V)
  scores(x) {
    const C = this.width, W = this.tensors["lm_head.weight"];
    const logits = new Float32Array(this.vocabulary);
    for (let id = 0; id < logits.length; id++) {
      let sum = 0;
      for (let c = 0; c < C; c++)
        sum += x[c] * W[id * C + c];
      logits[id] = sum;
    }
    return logits;
  }

  // The cosine of the vectors of two positions: 1 if they point in the same direction.
  cosine(i, j) {
    const C = this.width, wpe = this.tensors["wpe.weight"];
    const dot = (a, b) => {
      let sum = 0;
      for (let c = 0; c < C; c++)
        sum += wpe[a * C + c] * wpe[b * C + c];
      return sum;
    };
    return dot(i, j) / Math.sqrt(dot(i, i) * dot(j, j));
  }
}

// What a model has computed from some tokens:
//
//     stream[0 … L] (T, C)    the embedding, and what it has become after each block
//     qkv[layer] (T, 3·H·D)   queries, keys and values of all heads
//     maps[layer][head] (T, T)
//
// The rows of a token depend on those before it only, or in a prefix on all of the prefix. So the
// first `known` rows are taken over from the last text if it began in the same way. (Programs that
// chat keep the keys and values of what they have read for the same reason: a KV cache.)
class Reading {
  constructor(model, ids, prefix, last) {
    Object.assign(this, {model, ids, prefix, last, stream: [], qkv: []});
    this.maps = model.rules.map(() => []);
    this.known = last && last.prefix === prefix ? this.sameBeginning(last.ids) : 0;
    if (this.known < prefix) this.known = 0;
  }

  // How many tokens, but not all, are as in another text.
  sameBeginning(others) {
    const differs = this.ids.findIndex((id, i) => id !== others[i]);
    return Math.min(differs < 0 ? Infinity : differs, this.ids.length - 1);
  }

  // Keeps the rows of an array: those that are known already, and then the new ones.
  keepAll(name, layer, rows) {
    const width = rows.length / (this.ids.length - this.known);
    const all = new Float32Array(this.ids.length * width);
    if (this.known) all.set(this.last[name][layer].subarray(0, this.known * width));
    all.set(rows, this.known * width);
    return this[name][layer] = all;
  }

  // The same, but returns only the new rows.
  keep(name, layer, rows) {
    this.keepAll(name, layer, rows);
    return rows;
  }

  // A map with the rows that are known already.
  newMap(layer, head) {
    const T = this.ids.length, map = new Float32Array(T * T);
    for (let i = 0; i < this.known; i++) {
      const from = i * this.last.ids.length;
      map.set(this.last.maps[layer][head].subarray(from, from + this.known), i * T);
    }
    this.maps[layer].push(map);
    return map;
  }

  attends(layer, head, query, key) {
    return patternAttends(this.model.rules[layer][head], query, key, this.prefix);
  }

  // The scores (V) of what comes after a position, or of what stands there if the model fills gaps,
  // as if the model had only so many blocks: 0 is the embedding, L the whole model. A pre-norm model
  // has one more layer norm after its blocks.
  lens(blocks, position = this.ids.length - 1) {
    const C = this.model.width;
    const x = this.stream[blocks].subarray(position * C, (position + 1) * C);
    return this.model.scores(
      this.model.norm === "pre" ? layerNorm(x, ...this.model.weights("ln_f")) : x);
  }

  logitsAt(position) {
    return this.lens(this.model.layers, position);
  }

  get logits() {
    return this.logitsAt(this.ids.length - 1);
  }
}

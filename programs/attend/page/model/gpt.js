// gpt.js: the forward pass: from the ids of some tokens to what each of them attends to, and to a
// score for every token that may come next. The folder model/ at the top of the repository computes
// the same in C, mostly by the same names.
//
// The letters of the sizes: T tokens that are read, L layers, H heads, K heads of keys and values, D
// width of one head, C width of the model, F hidden width of the feed-forward layer, V vocabulary. An array "x (T, C)" holds T
// rows of C numbers, one row after another: number c of row i is x[i * C + c].
//
// `model` has the sizes and the weights, see model.js. `kept` keeps what each layer computes, see
// kept.js. It may know the rows of the first tokens already; then x has only the T − known rows of
// the others, where (T, C) stands below.

// Reads some tokens. The stream (T, C) begins as the embedding, and each layer adds to it.
function gpt_forward(model, ids, kept) {
  let x = kept.keep("stream", 0, embedding_forward(model, ids, kept.known));
  for (let layer = 0; layer < model.layers; layer++)
    x = kept.keep("stream", layer + 1, block_forward(model, layer, x, kept));
}

// The score of each token that may come next (V), from one row of the stream (C). A pre-norm model
// has one more norm after its layers.
function gpt_next_logits(model, x) {
  return logits_forward(model.norm === "pre" ? layernorm_forward(model, x, "ln_f") : x,
    model.weights("lm_head"));
}

// x = wte[token] + wpe[position] (T, C): what each token is, and where it stands; with rotary
// positions what it is alone.
function embedding_forward(model, ids, known) {
  const C = model.width, x = new Float32Array((ids.length - known) * C);
  const wte = model.weights("wte").weight, wpe = model.weights("wpe").weight; // (V, C) (context, C)
  for (let i = known; i < ids.length; i++)
    for (let c = 0; c < C; c++)
      x[(i - known) * C + c] = wte[ids[i] * C + c] + (wpe ? wpe[i * C + c] : 0);
  return x;
}

// One layer, x (T, C) -> (T, C): attention and feed-forward, each added to what it has read; neither
// if the layer is off.
function block_forward(model, layer, x, kept) {
  const name = `h.${layer}.`, off = model.off.includes(`L${layer + 1}`);
  const sum = (a, branch) => off ? a : add(a, branch);
  const norm1 = y => layernorm_forward(model, y, name + "ln_1");
  const norm2 = y => layernorm_forward(model, y, name + "ln_2");
  const attention = y => attention_forward(model, layer, y, kept);
  const feedforward = y => feedforward_forward(model, layer, y);
  if (model.norm === "pre") {
    x = sum(x, attention(norm1(x)));
    return sum(x, feedforward(norm2(x)));
  }
  x = norm1(sum(x, attention(x)));
  return norm2(sum(x, feedforward(x)));
}

// All heads of a layer: q | k | v = x·W + b, H, K and K heads of D side by side (T, (H + 2K)·D); q
// and k are turned by their positions if these are rotary. What the heads mix (T, H·D) goes through
// the output projection.
function attention_forward(model, layer, x, kept) {
  const {heads: H, "key-heads": K, "head-size": D} = model;
  const name = `h.${layer}.attn.`, qkv = linear_forward(x, model.weights(name + "c_attn"));
  if (model.positions === "rotary") rotary_forward(model, qkv, kept.known);
  const mixed = new Float32Array(qkv.length / (H + 2 * K) * H), all = kept.keepAll("qkv", layer, qkv);
  for (let head = 0; head < model.heads; head++)
    attend(model, layer, head, all, mixed, kept);
  return linear_forward(mixed, model.weights(name + "c_proj"));
}

// Turns the pairs d and d + D/2 of each query and key by its position · theta^(−2d/D).
function rotary_forward({heads: H, "key-heads": K, "head-size": D, theta}, qkv, first) {
  const row = (H + 2 * K) * D;
  for (let at = 0; at < qkv.length; at += at % row === (H + K - 1) * D ? (K + 1) * D : D)
    for (let d = 0; d < D / 2; d++) {
      const angle = (first + Math.floor(at / row)) * theta ** (-2 * d / D);
      const a = qkv[at + d], b = qkv[at + d + D / 2], cos = Math.cos(angle), sin = Math.sin(angle);
      qkv[at + d] = a * cos - b * sin;
      qkv[at + d + D / 2] = b * cos + a * sin;
    }
}

// One head: P = softmax(score) over the keys that each query attends to, and mixed = P·v. Row i of
// P (T, T), the head's map, has the weights of query i. kept.js has filled P with -1, which stays
// where a query cannot attend: key_limit and pattern_attends, of pattern.js, say where. A head that is
// off mixes nothing.
//
// A row of qkv has q of all heads, then k, then v. H/K heads in a row share keys and values: those
// of a head begin at head·D, (H + shared)·D and (H + K + shared)·D.
function attend(model, layer, head, qkv, mixed, kept) {
  const {heads: H, "key-heads": K, "head-size": D} = model, shared = Math.floor(head * K / H);
  const T = qkv.length / ((H + 2 * K) * D);
  const map = kept.newMap(layer, head), pattern = model.patterns[layer][head];
  const off = model.off.includes(`L${layer + 1}H${head + 1}`);
  for (let i = kept.known; i < T; i++) {
    const limit = key_limit(i, kept.prefix), scores = new Float64Array(limit);
    const out = (H * (i - kept.known) + head) * D;
    for (let j = 0; j < limit; j++)
      scores[j] = pattern_attends(pattern, i, j) ? score(model, head, qkv, i, j) : -Infinity;
    const p = softmax(scores);
    for (let j = 0; j < limit; j++) {
      const v = ((H + 2 * K) * j + H + K + shared) * D;
      if (scores[j] === -Infinity) continue;
      map[i * T + j] = p[j];
      for (let d = 0; d < D && !off; d++)
        mixed[out + d] += p[j] * qkv[v + d];
    }
  }
}

// q·k/√D: how well the key of token j fits the query of token i.
function score({heads: H, "key-heads": K, "head-size": D}, head, qkv, i, j) {
  const q = ((H + 2 * K) * i + head) * D, k = ((H + 2 * K) * j + H + Math.floor(head * K / H)) * D;
  return dot(qkv, q, k, D) / Math.sqrt(D);
}

// Two linear layers, with a hidden row (F) between them: relu makes its negative numbers 0, gelu
// and silu leave small ones. If it is gated, a row has 2·F numbers, and the activations of the first
// half are multiplied by the second.
function feedforward_forward(model, layer, x) {
  const name = `h.${layer}.mlp.`, hidden = linear_forward(x, model.weights(name + "c_fc"));
  const F = model.hidden, act = ACTIVATIONS[model.activation], row = model.gated ? 2 * F : F;
  const active = new Float32Array(hidden.length / row * F).map((_, i) => {
    const at = Math.floor(i / F) * row + i % F;
    return act(hidden[at]) * (model.gated ? hidden[at + F] : 1);
  });
  return linear_forward(active, model.weights(name + "c_proj"));
}

// max(0, h), or smooth curves close to it. gelu: h·(1 + tanh u)/2 with u = √(2/π)·(h + 0.044715 h³).
// It is computed as h/(1 + e^−2u), which is the same: 1 + tanh u = 2/(1 + e^−2u). silu: h/(1 + e^−h).
const ACTIVATIONS = {
  relu: h => Math.max(0, h),
  gelu: h => h / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (h + 0.044715 * h ** 3))),
  silu: h => h / (1 + Math.exp(-h)),
};

// y = x·W + b, for each row:  x (T, rows), W (rows, cols), b (cols) -> y (T, cols)
function linear_forward(x, {weight: W, bias: b}) {
  const cols = b.length, rows = W.length / cols, T = x.length / rows;
  const y = new Float32Array(T * cols);
  for (let i = 0; i < T; i++) {
    const sum = Float64Array.from(b);
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < cols; c++)
        sum[c] += x[i * rows + r] * W[r * cols + c];
    y.set(sum, i * cols);
  }
  return y;
}

// y = gain∘(x − mean)/√(variance + epsilon) + bias, for each row:  x (T, C), gain (C), bias (C).
// RMSNorm takes a mean of 0.
function layernorm_forward(model, x, part) {
  const {rms, "norm-epsilon": epsilon} = model, {weight: gain, bias} = model.weights(part);
  const C = gain.length, y = new Float32Array(x.length);
  for (let row = 0; row < x.length; row += C) {
    let mean = 0, variance = 0;
    for (let c = 0; c < C && !rms; c++)
      mean += x[row + c] / C;
    for (let c = 0; c < C; c++)
      variance += (x[row + c] - mean) ** 2 / C;
    for (let c = 0; c < C; c++)
      y[row + c] = gain[c] * (x[row + c] - mean) / Math.sqrt(variance + epsilon) + bias[c];
  }
  return y;
}

// logits = x·Wᵀ: the score of each token, from one row x (C) and W (V, C) -> (V)
function logits_forward(x, {weight: W}) {
  const C = x.length, logits = new Float32Array(W.length / C);
  for (let id = 0; id < logits.length; id++) {
    let sum = 0;
    for (let c = 0; c < C; c++)
      sum += x[c] * W[id * C + c];
    logits[id] = sum;
  }
  return logits;
}

// Scores become probabilities: p_j = e^score_j / Σ e^score. The largest score is subtracted first,
// so that no e^score is too large for a number; that changes no p.
function softmax(scores) {
  const p = new Float64Array(scores.length);
  let top = -Infinity, sum = 0;
  for (let j = 0; j < p.length; j++)
    top = Math.max(top, scores[j]);
  for (let j = 0; j < p.length; j++)
    sum += p[j] = Math.exp(scores[j] - top);
  for (let j = 0; j < p.length; j++)
    p[j] /= sum;
  return p;
}

// Σ x[a + d] · x[b + d]: the product of two rows of size numbers, which begin at a and at b.
function dot(x, a, b, size) {
  let sum = 0;
  for (let d = 0; d < size; d++)
    sum += x[a + d] * x[b + d];
  return sum;
}

// a + b, number by number.
function add(a, b) {
  return a.map((number, i) => number + b[i]);
}

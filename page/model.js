/* model.js: the model's forward pass, from the ids of some tokens to a score for every token that
 * may come next. It computes what model/ computes in C, with the same names; only slower.
 *
 * The letters of the sizes: T tokens that are read, L layers, H heads, D width of one head, C width
 * of the model, F hidden width of the feed-forward layer, V vocabulary. An array "x (T, C)" holds T
 * rows of C numbers, one row after another: number c of row i is x[i * C + c]. */
"use strict";

/* y = x·W + b, for each row:  x (T, rows), W (rows, cols), b (cols) -> y (T, cols) */
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

/* y = gain∘(x − mean)/√(variance + 1e-5) + bias, for each row:  x (T, C), gain (C), bias (C) */
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

/* max(0, h), or a smooth curve close to it: h·(1 + tanh u)/2 with u = √(2/π)·(h + 0.044715 h³). */
const ACTIVATIONS = {
    relu: h => Math.max(0, h),
    gelu: h => h / (1 + Math.exp(-2 * Math.sqrt(2 / Math.PI) * (h + 0.044715 * h ** 3))),
};

/* Scores become probabilities: p_j = e^score_j / Σ e^score. The largest score is subtracted first,
 * so that no e^score is too large a number; that changes no p. */
function softmax(scores) {
    const top = scores.reduce((a, b) => Math.max(a, b), -Infinity);
    const p = Float64Array.from(scores, score => Math.exp(score - top));
    const sum = p.reduce((a, b) => a + b, 0);
    return p.map(e => e / sum);
}

/* a + b, number by number. */
function add(a, b) {
    return a.map((number, i) => number + b[i]);
}

/* Whether a head of this pattern lets a query attend to a key; both are places in the text. The
 * first `prefix` tokens see each other, later ones too; all others see only what stands before. */
function patternAttends(pattern, query, key, prefix) {
    if (key > query && (query >= prefix || key >= prefix))
        return false;
    const [kind, size, last] = pattern.split(/[ :]/);
    switch (kind) {
    case "window": return Math.abs(query - key) < size;
    case "strided": return (query - key) % size === 0;
    case "fixed": return Math.floor(query / size) === Math.floor(key / size);
    case "summary": return key === query || key % size >= size - last;
    }
    return true;
}

/* Base64 of little-endian float32 numbers, as the page holds them -> Float32Array */
function floatsOf(base64) {
    const bytes = Uint8Array.from(atob(base64.trim()), letter => letter.charCodeAt(0));
    return new Float32Array(bytes.buffer);
}

class Model {
    /* config: the sizes and choices of a model, and where each of its tensors is in `numbers`. */
    constructor(config, numbers) {
        Object.assign(this, config);
        this.tensors = {};
        for (const {name, at, shape} of config.tensors)
            this.tensors[name] = numbers.subarray(at, at + shape.reduce((a, b) => a * b));
        if (this.tied)
            this.tensors["lm_head.weight"] = this.tensors["wte.weight"];
    }

    /* The tensors of a linear layer or a layer norm. */
    weights(name) {
        return [this.tensors[name + ".weight"], this.tensors[name + ".bias"]];
    }

    /* Reads some tokens; see Reading for what comes of it. */
    read(ids, prefix = 0) {
        const stream = [this.embed(ids)], maps = [];
        for (let layer = 0; layer < this.layers; layer++)
            stream.push(this.block(stream[layer], layer, prefix, maps[layer] = []));
        return new Reading(this, ids, prefix, stream, maps);
    }

    /* x = wte[token] + wpe[position] (T, C): what the token is, and where it stands. */
    embed(ids) {
        const C = this.width, x = new Float32Array(ids.length * C);
        const {"wte.weight": wte, "wpe.weight": wpe} = this.tensors; /* (V, C) (context, C) */
        ids.forEach((id, i) => {
            for (let c = 0; c < C; c++)
                x[i * C + c] = wte[id * C + c] + wpe[i * C + c];
        });
        return x;
    }

    /* One layer, x (T, C) -> (T, C): attention and feed-forward, each added to what it has read. */
    block(x, layer, prefix, maps) {
        const name = `h.${layer}.`;
        const norm1 = y => layerNorm(y, ...this.weights(name + "ln_1"));
        const norm2 = y => layerNorm(y, ...this.weights(name + "ln_2"));
        const attention = y => this.attention(y, layer, prefix, maps);
        const feedForward = y => linear(
            linear(y, ...this.weights(name + "mlp.c_fc")).map(ACTIVATIONS[this.activation]),
            ...this.weights(name + "mlp.c_proj"));
        if (this.norm === "pre") {
            x = add(x, attention(norm1(x)));
            return add(x, feedForward(norm2(x)));
        }
        x = norm1(add(x, attention(x)));
        return norm2(add(x, feedForward(x)));
    }

    /* All heads of a layer: q | k | v = x·Wqkv + bqkv, each H heads of D side by side (T, 3·H·D);
     * their mixed values (T, H·D) go through the output projection. `maps` receives the maps. */
    attention(x, layer, prefix, maps) {
        const name = `h.${layer}.attn.`, T = x.length / this.width;
        const qkv = linear(x, ...this.weights(name + "c_attn"));
        const mixed = new Float32Array(T * this.heads * this.head_size);
        for (let head = 0; head < this.heads; head++)
            maps.push(this.head(qkv, mixed, head, this.patterns[layer][head], prefix));
        return linear(mixed, ...this.weights(name + "c_proj"));
    }

    /* One head: P = softmax(q·kᵀ/√D), over the keys that each query attends to, and mixed = P·v.
     * Returns its map P (T, T): row i has the weights of query i. */
    head(qkv, mixed, head, pattern, prefix) {
        const D = this.head_size, HD = this.heads * D, T = mixed.length / HD;
        const map = new Float32Array(T * T);
        for (let i = 0; i < T; i++) {
            const keys = [], q = i * 3 * HD + head * D, out = i * HD + head * D;
            for (let j = 0; j < T; j++)
                if (patternAttends(pattern, i, j, prefix))
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
        return map;
    }

    /* logits = x·Wᵀ: the score of each token, from one row x (C) and W (V, C) -> (V) */
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

    /* The cosine of the vectors of two positions: 1 if they point in the same direction. */
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

/* What a model has computed from some tokens. */
class Reading {
    constructor(model, ids, prefix, stream, maps) {
        this.model = model;
        this.ids = ids;
        this.prefix = prefix;
        this.stream = stream; /* [0 … L] (T, C): the embedding, and then after each block */
        this.maps = maps;     /* [layer][head] (T, T) */
    }

    attends(layer, head, query, key) {
        return patternAttends(this.model.patterns[layer][head], query, key, this.prefix);
    }

    /* The scores (V) of what comes after a position, or of what stands there if the model fills
     * gaps, as if the model had only so many blocks: 0 is the embedding, L the whole model. A
     * pre-norm model has one more layer norm after its blocks. */
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

// model.js: the sizes and weights of a model, as the page holds them:
//
//     const model = new Model(data.model, floatsOf(text));
//     const kept = model.read([0, 2, 3]);       // the ids of [bos] el perro
//     softmax(kept.logits)                      // the probability of each next token
//     kept.maps[1][2]                           // what the third head of layer 2 attends to

// Base64 of little-endian float32 numbers -> Float32Array
function floatsOf(base64) {
  return new Float32Array(bytesOf(base64).buffer);
}

class Model {
  // config: the sizes and choices of a model, where each of its tensors is in `numbers`, and in `off`
  // the names of the heads and layers that are off, such as L2H3 and L1.
  constructor(config, numbers) {
    Object.assign(this, config);
    this.patterns = config.patterns.map(heads => heads.map(pattern_parse));
    this.mixture = null; // what is mixed into the logits: see mixture.js
    this.tensors = {};
    for (const {name, at, shape} of config.tensors)
      this.tensors[name] = numbers.subarray(at, at + shape.reduce((a, b) => a * b));
    if (!this.untied) this.tensors["lm_head.weight"] = this.tensors["wte.weight"];
  }

  // The tensors of a part of the model, such as "h.0.ln_1"; some parts have no bias.
  weights(part) {
    return {weight: this.tensors[part + ".weight"], bias: this.tensors[part + ".bias"]};
  }

  // Reads some tokens; see Kept for what comes of it. If the text begins as the last one did, only
  // the rows of its other tokens are computed.
  read(ids, prefix = 0) {
    const kept = new Kept(this, ids, prefix, this.last);
    gpt_forward(this, ids, kept);
    kept.last = null; // otherwise no text would ever be forgotten
    return this.last = kept;
  }

  // The cosine of the vectors of two positions: 1 if they point in the same direction. Rotary
  // positions turn each pair of numbers of a head by an angle: the mean of the cosines between them.
  cosine(i, j) {
    if (this.positions === "rotary") return this.turned(i - j);
    const C = this.width, product = (a, b) => dot(this.weights("wpe").weight, a * C, b * C, C);
    return product(i, j) / Math.sqrt(product(i, i) * product(j, j));
  }

  turned(distance) {
    const half = this["head-size"] / 2;
    let sum = 0;
    for (let d = 0; d < half; d++)
      sum += Math.cos(distance * this.theta ** (-d / half));
    return sum / half;
  }
}

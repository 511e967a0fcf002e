// alike.js: the embeddings of the tokens as points:
//
//     const alike = new Alike(model);
//     alike.nearest(id, 10)           // [{id, cosine}], as sample --near prints them
//     alike.plane()                   // {points, share}: their two principal components
//
// All is computed in double from + − · / and √ only, so it has the same bits in every browser.

class Alike {
  // x (V, C): the embeddings without their mean.
  constructor(model) {
    const {weight} = model.weights("wte"), C = model.width, V = weight.length / C;
    Object.assign(this, {V, C, x: new Float64Array(V * C)});
    for (let c = 0; c < C; c++) {
      let mean = 0;
      for (let id = 0; id < V; id++) mean += weight[id * C + c] / V;
      for (let id = 0; id < V; id++) this.x[id * C + c] = weight[id * C + c] - mean;
    }
  }

  // The tokens with the largest cosines; of equal ones, that with the lower id first.
  nearest(id, count) {
    const {x, V, C} = this, product = (a, b) => dot(x, a * C, b * C, C), own = product(id, id);
    const all = Array.from({length: V}, (_, other) => {
      const norms = Math.sqrt(own * product(other, other));
      return {id: other, cosine: norms > 0 ? product(id, other) / norms : 0};
    });
    return all.filter(one => one.id !== id)
      .sort((a, b) => b.cosine - a.cosine || a.id - b.id).slice(0, count);
  }

  // points (2·V): each token along the two directions in which the rows differ most; share: how
  // much of their variance that is. Of a direction's components the largest in size is positive.
  plane() {
    const {x, V, C} = this, {values, vectors} = eigen(this.covariance(), C);
    const order = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b).slice(0, 2);
    const points = new Float64Array(2 * V);
    order.forEach((at, axis) => {
      const vector = vectors.subarray(at * C, (at + 1) * C);
      const largest = vector.reduce((best, v) => Math.abs(v) > Math.abs(best) ? v : best, 0);
      for (let id = 0; id < V; id++) {
        let sum = 0;
        for (let c = 0; c < C; c++) sum += x[id * C + c] * vector[c];
        points[2 * id + axis] = largest < 0 ? -sum : sum;
      }
    });
    const all = values.reduce((a, b) => a + b, 0);
    return {points, share: all > 0 ? order.reduce((sum, at) => sum + values[at], 0) / all : 0};
  }

  // (C, C): the sum of the products of two columns.
  covariance() {
    const {x, V, C} = this, S = new Float64Array(C * C);
    for (let id = 0; id < V; id++)
      for (let i = 0, row = id * C; i < C; i++)
        for (let j = i; j < C; j++) S[i * C + j] += x[row + i] * x[row + j];
    for (let i = 0; i < C; i++)
      for (let j = 0; j < i; j++) S[i * C + j] = S[j * C + i];
    return S;
  }
}

// Jacobi's method: the eigenvalues of a symmetric matrix S (C, C), which it overwrites, and their
// vectors, a row for each. A rotation of the rows and columns p and q makes S[p, q] zero; sweeps
// over all pairs go on until nothing is left beside the diagonal.
function eigen(S, C) {
  const vectors = new Float64Array(C * C);
  let least = 0;
  for (let i = 0; i < C; i++) {
    vectors[i * C + i] = 1;
    least += 1e-16 * S[i * C + i];
  }
  for (let turned = true; turned;) {
    turned = false;
    for (let p = 0; p < C; p++)
      for (let q = p + 1; q < C; q++) {
        if (Math.abs(S[p * C + q]) <= least) continue;
        turned = true;
        rotate(S, vectors, C, p, q);
      }
  }
  return {values: Array.from({length: C}, (_, i) => S[i * C + i]), vectors};
}

function rotate(S, vectors, C, p, q) {
  const P = p * C, Q = q * C, first = S[P + p], last = S[Q + q], beside = S[P + q];
  const theta = (last - first) / (2 * beside);
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const cosine = 1 / Math.sqrt(tangent * tangent + 1), sine = tangent * cosine;
  for (let k = 0; k < C; k++) {
    const a = S[P + k], b = S[Q + k], u = vectors[P + k], v = vectors[Q + k];
    S[k * C + p] = S[P + k] = cosine * a - sine * b;
    S[k * C + q] = S[Q + k] = sine * a + cosine * b;
    vectors[P + k] = cosine * u - sine * v;
    vectors[Q + k] = sine * u + cosine * v;
  }
  S[P + p] = first - tangent * beside;
  S[Q + q] = last + tangent * beside;
  S[P + q] = S[Q + p] = 0;
}

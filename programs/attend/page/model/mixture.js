// mixture.js: counting together with the model, as text/corpus/counting.h has it: with p what
// counting says, logits become (1 − share)·logits + share·ln p. It goes through the text for each
// question.

class Mixture {
  // ids: the whole text, of which `ranges` are counted; discounts: D1, D2, D3 of each order.
  constructor({share, discounts, ranges}, ids, tokenizer) {
    Object.assign(this, {share, discounts, ids, size: tokenizer.size});
    this.before = new Int32Array(ids.length); // how many tokens of its sequence stand before each
    this.counted = [];                        // the places of those that are counted
    for (let r = 0; r < ranges.length; r += 2)
      this.addRange(ranges[r], ranges[r + 1], tokenizer);
    this.first = this.counts(1, this.counted); // after no token: the same for every question
  }

  // A line begins with [bos]. Of a pair only the target counts, which [sep] begins.
  addRange(from, end, {bos, sep, objective}) {
    let begin = from, counts = false;
    for (let i = from; i < end; i++) {
      if (this.ids[i] === bos) begin = i;
      this.before[i] = i - begin;
      if (i === begin) counts = false;
      if (counts) this.counted.push(i);
      if (objective === "pairs" ? this.ids[i] === sep : i === begin) counts = true;
    }
  }

  // How often each token counts in order k, at some places: in the highest order each time, else
  // once for each different token before the k, or each time where none can stand there.
  counts(k, places) {
    const times = new Map(), seen = new Set();
    for (const i of places) {
      const all = k === this.discounts.length || this.before[i] < k;
      const key = all ? -1 : this.ids[i - k] * this.size + this.ids[i];
      if (all || !seen.has(key)) times.set(this.ids[i], (times.get(this.ids[i]) || 0) + 1);
      if (!all) seen.add(key);
    }
    return times;
  }

  // p (V) of what comes after some tokens.
  counting(history) {
    const p = new Float64Array(this.size).fill(1 / this.size);
    let places = this.counted;
    for (let k = 1; k <= this.discounts.length && k - 1 <= history.length; k++) {
      const token = history[history.length - (k - 1)], back = k - 1;
      if (k > 1) places = places.filter(i => this.before[i] >= back && this.ids[i - back] === token);
      if (!places.length) break;
      const times = k > 1 ? this.counts(k, places) : this.first;
      const discount = count => this.discounts[k - 1][Math.min(count, 3) - 1];
      let sum = 0, left = 0;
      for (const count of times.values()) {
        sum += count;
        left += discount(count);
      }
      for (let id = 0; id < p.length; id++) {
        const count = times.get(id) || 0;
        p[id] = (count ? count - discount(count) : 0) / sum + left / sum * p[id];
      }
    }
    return p;
  }

  // The logits after some tokens, in the place of the model's.
  mix(history, logits) {
    if (!this.share) return logits;
    const p = this.counting(history);
    return logits.map((logit, id) => (1 - this.share) * logit + this.share * Math.log(p[id]));
  }
}

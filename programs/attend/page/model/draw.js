// draw.js: chooses the next token as ./sample does, so that the same seed draws the same words:
//
//     const draws = new Draws(tokenizer, {seed: 1, temperature: 0.8});
//     const writer = new Writer(model, tokenizer, ids);
//     const id = draws.next(writer.logits, 0);     // the first token that is drawn
//     writer.add(id);                              // it is read, and the second one can be drawn
//
// Random numbers do not follow each other: each is computed from its purpose, here from the seed
// and from the place of the token that is drawn. Philox 4x32-10 (Salmon et al. 2011) mixes
// four counters and a key in ten rounds, until nothing of them can be recognised.

// One half of the key is the seed, the other the number of what is drawn: a token that comes next,
// which is RANDOM_SAMPLE in base/numbers/random.h.
const PURPOSE_SAMPLE = 8;

// Four random words of 32 bits from four counters.
function philox(counters, seed, purpose) {
  const word = number => Number(BigInt.asUintN(32, number));
  let [w0, w1, w2, w3] = counters.map(counter => counter >>> 0);
  for (let round = 0; round < 10; round++) {
    const left = BigInt(w0) * 0xD2511F53n, right = BigInt(w2) * 0xCD9E8D57n; // 64 bits
    const key0 = seed + Math.imul(round, 0x9E3779B9), key1 = purpose + Math.imul(round, 0xBB67AE85);
    [w0, w2] = [(word(right >> 32n) ^ w1 ^ key0) >>> 0, (word(left >> 32n) ^ w3 ^ key1) >>> 0];
    [w1, w3] = [word(right), word(left)];
  }
  return [w0, w1, w2, w3];
}

// A number from 0 up to, but not including, 1: 53 random bits, as many as a number holds.
function uniform(counters, seed) {
  const [low, high] = philox(counters, seed, PURPOSE_SAMPLE);
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
}

class Draws {
  // temperature: below 1 safer, above 1 more varied, 0 always the most probable token;
  // topK: only the K most probable tokens, 0 all; topP: only the most probable ones that together
  // reach P, 1 all.
  constructor(tokenizer, {seed = 1, temperature = 1, topK = 0, topP = 1} = {}) {
    Object.assign(this, {tokenizer, seed, temperature, topK, topP});
  }

  // p (V): what is left of the model's probabilities, scaled to a sum of 1. Special tokens that
  // are never written have 0. With temperature 0 the most probable token has all.
  probabilities(logits) {
    const greedy = this.temperature === 0, barred = this.tokenizer.barred;
    const temperature = greedy ? 1 : this.temperature;
    const topK = greedy ? 1 : this.topK, topP = greedy ? 1 : this.topP;
    const p = softmax(Float64Array.from(
      logits, (logit, id) => barred[id] ? -Infinity : logit / temperature));
    if (topK > 0 && topK < p.length)
      keepFirst(p, ranked(p).slice(0, topK));
    if (topP < 1) {
      let sum = 0;
      keepFirst(p, ranked(p).filter(id => (sum += p[id]) - p[id] < topP));
    }
    return p;
  }

  // The id at which the running sum of p passes a random number. `place` counts the tokens drawn
  // so far, from 0; `continuation` is the number of the text that is written, from 0.
  next(logits, place, continuation = 0) {
    const p = this.probabilities(logits), random = uniform([place, continuation, 0, 0], this.seed);
    let sum = 0, last = 0;
    for (let id = 0; id < p.length; id++) {
      sum += p[id];
      if (p[id] > 0) last = id;
      if (random < sum) return id;
    }
    return last; // rounding may leave the sum of all a little below 1
  }
}

// The ids by their probability, the largest first; of equal ones the lower id first.
function ranked(p) {
  return Array.from(p.keys()).sort((a, b) => p[b] - p[a] || a - b);
}

// Keeps in p only these ids, scaled to a sum of 1.
function keepFirst(p, ids) {
  const kept = ids.map(id => p[id]), sum = kept.reduce((a, b) => a + b, 0);
  p.fill(0);
  ids.forEach((id, i) => p[id] = kept[i] / sum);
}

// The place of the gap where the model is surest of a token that may stand there: ./sample fills
// this gap first, and then reads the line again.
function surestGap(reading, tokenizer) {
  const mayCome = (_, id) => !tokenizer.barred[id];
  const surest = place => Math.max(...softmax(reading.logitsAt(place)).filter(mayCome));
  const gaps = [...reading.ids.keys()].filter(place => reading.ids[place] === tokenizer.mask);
  return gaps.reduce((best, place) => surest(place) > surest(best) ? place : best);
}

// Continues a text. When the context is full, the model forgets the beginning: it reads again,
// after [bos], the last half of what fits.
class Writer {
  constructor(model, tokenizer, ids, prefix = 0) {
    Object.assign(this, {model, tokenizer, ids: [...ids], prefix, forgot: false});
    this.read();
  }

  add(id) {
    this.ids.push(id);
    this.read();
  }

  read() {
    const {context} = this.model, bos = this.tokenizer.bos;
    if (this.ids.length > context) {
      const kept = Math.max(Math.floor(context / 2), 1);
      this.ids = [...(bos >= 0 && kept < context ? [bos] : []), ...this.ids.slice(-kept)];
      this.prefix = 0;
      this.forgot = true;
    }
    this.reading = this.model.read(this.ids, this.prefix);
    this.logits = this.reading.logits;
  }
}

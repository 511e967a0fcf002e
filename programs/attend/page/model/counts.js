// counts.js: how often the training text goes on with each token after some given ones. It reads
// through the whole text for each question, as text/corpus/counts.c does.

class Counts {
  // base64: the ids of the text, two bytes each, the lower one first.
  constructor(base64, tokenizer) {
    this.ids = new Uint16Array(bytesOf(base64).buffer);
    this.tokenizer = tokenizer;
    this.symbolsOf = tokenizer.tokens.map((_, id) => this.symbols(id));
    this.idOf = new Map(this.symbolsOf.map((symbols, id) => [symbols.join(), id]));
    // The text as symbols, and for each of them the place of its token in the text.
    const size = this.ids.reduce((sum, id) => sum + this.symbolsOf[id].length, 0);
    this.text = new Uint32Array(size);
    this.tokenAt = new Uint32Array(size);
    let end = 0;
    this.ids.forEach((id, place) => {
      for (const symbol of this.symbolsOf[id]) {
        this.text[end] = symbol;
        this.tokenAt[end++] = place;
      }
    });
  }

  // Tokens are compared by their ids. Subwords can make up the same text in several ways, so they
  // are compared by their bytes, and special tokens among them by a number beyond all bytes.
  symbols(id) {
    if (this.tokenizer.kind !== "bpe")
      return [id];
    return this.tokenizer.specials.has(id) ? [256 + id] : this.tokenizer.bytes(id);
  }

  // The symbols of the text that follow each place that has these tokens.
  *ends(ids) {
    const wanted = ids.flatMap(id => this.symbolsOf[id]);
    let from = -1;
    while ((from = this.text.indexOf(wanted[0], from + 1)) >= 0)
      if (wanted.every((symbol, i) => this.text[from + i] === symbol)) yield from + wanted.length;
  }

  has(ids) {
    return !this.ends(ids).next().done;
  }

  // times: how often the text goes on with each token after these; total: the sum of them.
  after(ids) {
    const times = new Map();
    let total = 0;
    for (const end of this.ends(ids)) {
      const id = this.tokenFrom(end);
      if (id !== undefined) {
        times.set(id, (times.get(id) || 0) + 1);
        total++;
      }
    }
    return {times, total};
  }

  // The token that begins at a symbol; within a subword, that which is the rest of it, if any;
  // undefined at the end of the text.
  tokenFrom(at) {
    const place = this.tokenAt[at];
    let end = at + 1;
    while (end < this.text.length && this.tokenAt[end] === place)
      end++;
    return this.idOf.get(this.text.slice(at, end).join());
  }

  // times: for each [mask] among some tokens, how often the text has each token there between the
  // others; total: in how many places the text has the others.
  gaps(ids) {
    const {mask, bos, eos} = this.tokenizer, text = this.ids;
    const gaps = [...ids.keys()].filter(i => ids[i] === mask), times = gaps.map(() => new Map());
    const fits = (id, i) => ids[i] === mask ? id !== bos && id !== eos : id === ids[i];
    let total = 0;
    for (let from = 0; from + ids.length <= text.length; from++) {
      if (!ids.every((_, i) => fits(text[from + i], i)))
        continue;
      total++;
      gaps.forEach((gap, n) => {
        const id = text[from + gap];
        times[n].set(id, (times[n].get(id) || 0) + 1);
      });
    }
    return {times, total};
  }
}

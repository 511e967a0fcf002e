// tokens.js: from a text to the ids of its tokens, and back, as text/tokenizer.c does it:
//
//     const tokenizer = new Tokens(data.tokenizer);
//     tokenizer.encode("el perro").ids             // 0, 2, 3: [bos] el perro
//     tokenizer.decode([0, 2, 3])                  // "el perro"
"use strict"; // all scripts of the page, of which this is the first

// Classes of characters, to be put into regular expressions: white space, marks of punctuation
// (in ASCII, symbols such as $ and + also count as such), those that touch the word after them, and
// what can be part of a word.
const SPACE = "\\p{Z}\\t-\\r\\u0085";
const MARK = "!-\\/:-@\\[-`{-~\\p{P}";
const OPENING = "\\p{Ps}\\p{Pi}¿¡";
const LETTER = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\u200C\\u200D\\u24B6-\\u24E9" +
  "\\u{1F130}-\\u{1F149}\\u{1F150}-\\u{1F169}\\u{1F170}-\\u{1F189}";

// The words of models later than GPT-2; `numbers` matches digits that stand in one word. See
// text/subwords/bpe.c.
const laterWords = numbers => new RegExp(
  `'(?:[sStTmMdDſ]|[rR][eE]|[vV][eE]|[lL][lL])|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}|` +
  ` ?[^${SPACE}\\p{L}\\p{N}]+[\\r\\n]*|[${SPACE}]*[\\r\\n]+|[${SPACE}]+(?![^${SPACE}])|` +
  `[${SPACE}]+`, "gu");

// How a text is cut. Words: each mark of punctuation is one, or it is part of a word, or a run of
// marks is one. Subwords begin as the words of GPT-2, which have the space before them, or as those
// of later models.
const CUTS = {
  alone: new RegExp(`[${MARK}]|[^${MARK}${SPACE}]+`, "gu"),
  inWords: new RegExp(`[^${SPACE}]+`, "gu"),
  inRuns: new RegExp(`[${LETTER}]+|[^${LETTER}${SPACE}]+`, "gu"),
  characters: /[^]/gu, // any one character
  bytes: new RegExp(`'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${SPACE}\\p{L}\\p{N}]+|` +
    `[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`, "gu"),
  digits: new RegExp(`'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+|\\p{N}| ?[^${SPACE}\\p{L}\\p{N}]+|` +
    `[${SPACE}]+(?![^${SPACE}\\p{N}])|[${SPACE}]+`, "gu"),
  qwen: laterWords("\\p{N}"),
  llama: laterWords("\\p{N}{1,3}"),
};

const IS_MARK = new RegExp(`^[${MARK}]`, "u"), IS_OPENING = new RegExp(`^[${OPENING}]`, "u");

// In a vocabulary of subwords each byte is written as a character: those that can be printed as
// themselves, the others as U+0100, U+0101, … in their order.
const BYTE_LETTERS = (() => {
  const printed = b => (b > 0x20 && b < 0x7F) || (b > 0xA0 && b !== 0xAD);
  let others = 0x100;
  return Array.from({length: 256}, (_, b) => String.fromCharCode(printed(b) ? b : others++));
})();
const LETTER_BYTES = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]));

// Lower case, each character by itself.
function lowerCase(text) {
  return [...text].map(letter => letter.toLowerCase()).join("");
}

// How many letters must be inserted, removed or changed: from "pato" to "gata", 2. row[j] is the
// distance from the first i letters of a to the first j of b.
function editDistance(a, b) {
  let row = Array.from({length: b.length + 1}, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++)
      row[j] = Math.min(
        above[j - 1] + (a[i - 1] !== b[j - 1] ? 1 : 0), above[j] + 1, row[j - 1] + 1);
  }
  return row[b.length];
}

// Words that resemble an unknown one are looked for among those of at most so many letters, since
// the time grows with their square; so many are named.
const LONGEST_COMPARED = 100, MOST_NEAREST = 3;

class Tokens {
  // known: data.tokenizer; programs/attend/page/page.c says what is in it.
  constructor(known) {
    Object.assign(this, known, known.special); // bos, eos, unk, sep, mask: ids, or -1
    this.size = this.tokens.length;
    this.ids = new Map(this.tokens.map((token, id) => [token, id]));
    this.specials = new Set(known.specials); // ids of what stands for no text
    this.wholes = new Set(known.whole); // of tokens that are cut out of a text whole
    const wholes = known.whole.map(id => this.tokens[id]).sort((a, b) => b.length - a.length);
    this.splitter = wholes.length ? new RegExp("(" + wholes.map(
      token => token.replace(/[^\p{L}\p{N}\s_-]/gu, "\\$&")).join("|") + ")") : undefined;
    this.ranks = new Map(); // of two ids: the place of their merge in the list of merges
    for (let i = 0; i < this.merges.length; i += 3)
      this.ranks.set(this.pair(this.merges[i], this.merges[i + 1]), i);
    this.spaced = new Map(); // of two ids: how often they touch, minus how often they do not
    for (let i = 0; i < this.spacing.pairs.length; i += 3)
      this.spaced.set(
        this.pair(this.spacing.pairs[i], this.spacing.pairs[i + 1]), this.spacing.pairs[i + 2]);
    this.tabs = new Set(this.spacing.tabs); // ids after which the text writes a tab
    this.barred = this.barredTokens();
  }

  // One number for two ids.
  pair(left, right) {
    return left * (this.size + 1) + right;
  }

  // barred[id]: the token is never written. [bos] and the like stand for no text; [eos] ends a
  // line and [unk] stands for a word, but these two fill no gap.
  barredTokens() {
    const mayCome = id => id !== this.bos && (!this.specials.has(id) ||
      (this.objective !== "masked" && (id === this.eos || id === this.unk)));
    const barred = this.tokens.map((_, id) => !mayCome(id));
    return barred.every(bar => bar) ? barred.fill(false) : barred;
  }

  // ---- From a text to ids ----

  // What the model reads if it is given a text:
  //
  //     tokens   {text, id, special, nearest}, with [bos] and all; the id of an unknown word is
  //              -1, and nearest has known words that resemble it
  //     ids      of all tokens but the unknown ones
  //     unknown  these, as {word, nearest}
  //     source   of a pair: how many tokens there are up to and with [sep]; else 0
  //     prefix   so many tokens at the beginning see each other, also those that come later
  //     gaps     the places of [mask]
  //     problem  {kind, token}: why the model cannot read this text; or null
  encode(text) {
    const tokens = [];
    this.addSpecial(tokens, this.bos);
    if (this.objective === "masked") {
      // A subword has the space before it, so the spaces before a gap belong to the gap.
      const parts = text.split(this.kind === "bpe" ? / *\[mask\]/ : "[mask]");
      this.addParts(tokens, parts, this.mask);
      this.addSpecial(tokens, this.eos);
    } else if (this.objective === "pairs") {
      this.addParts(tokens, text.includes("\t") ? text.split("\t") : [text, ""], this.sep);
    } else {
      this.addParts(tokens, [text], -1);
    }
    const ids = tokens.map(token => token.id).filter(id => id >= 0);
    const source = this.objective === "pairs" ? ids.indexOf(this.sep) + 1 : 0;
    return {
      tokens, ids, source,
      unknown: tokens.filter(token => token.id < 0)
        .map(({text: word, nearest}) => ({word, nearest})),
      prefix: this.objective === "masked" ? ids.length : this["causal-source"] ? 0 : source,
      gaps: [...ids.keys()].filter(place => ids[place] === this.mask),
      problem: this.problemOf(text, tokens),
    };
  }

  addSpecial(tokens, id) {
    if (id >= 0)
      tokens.push({text: this.shown(id), id, special: true, nearest: []});
  }

  // The parts of a text, with a special token between them.
  addParts(tokens, parts, between) {
    parts.forEach((part, i) => {
      if (i)
        this.addSpecial(tokens, between);
      // Every second piece is a token that is cut out whole.
      this.clean(part).split(this.splitter).forEach((piece, place) => {
        if (place % 2)
          this.addToken(tokens, this.ids.get(piece));
        else
          this.addPiece(tokens, piece);
      });
    });
  }

  addPiece(tokens, text) {
    for (const piece of text.match(CUTS[this.cut]) || [])
      if (this.kind === "bpe")
        this.addSubwords(tokens, piece);
      else
        this.addWord(tokens, piece);
  }

  // White space and accents as the model knows them: in the form NFC "e" and a combining accent
  // are one letter, "é". Subwords keep every byte.
  clean(text) {
    text = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    if (this.form === "as is")
      return text;
    text = text.normalize("NFC");
    return this.form === "lower" ? lowerCase(text) : text;
  }

  // People begin a text with a capital letter: an unknown word is also tried in lower case.
  addWord(tokens, word) {
    const known = [word, lowerCase(word.normalize("NFC"))].find(
      form => this.ids.has(form) && !this.specials.has(this.ids.get(form)));
    const id = known === undefined ? this.unk : this.ids.get(known);
    const text = id < 0 || id === this.unk ? word : this.shown(id);
    tokens.push({text, id, special: false, nearest: id < 0 ? this.nearest(word) : []});
  }

  // A word begins as its bytes. Then pairs of neighbours are merged until none is in the list of
  // merges: each time the pair that comes first in the list, and the leftmost of equal pairs:
  //
  //     h u g s  ->  h ug s  ->  hug s
  addSubwords(tokens, word) {
    const letters = [...new TextEncoder().encode(word)].map(byte => BYTE_LETTERS[byte]);
    const whole = this.ignoreMerges ? this.ids.get(letters.join("")) : undefined;
    const ids = whole === undefined ? letters.map(letter => this.ids.get(letter)) : [whole];
    for (;;) {
      let best = -1, lowest = Infinity;
      for (let i = 0; i + 1 < ids.length; i++) {
        const rank = this.ranks.get(this.pair(ids[i], ids[i + 1]));
        if (rank < lowest)
          [best, lowest] = [i, rank];
      }
      if (best < 0)
        break;
      ids.splice(best, 2, this.merges[lowest + 2]);
    }
    for (const id of ids)
      this.addToken(tokens, id);
  }

  addToken(tokens, id) {
    tokens.push({text: this.shown(id), id, special: false, nearest: []});
  }

  // Up to three known words that resemble a word: those with the smallest edit distance, but none
  // of which every letter would have to change.
  nearest(word) {
    const letters = [...word], found = []; // {id, away}, the nearest first
    for (let id = 0; id < this.size && letters.length <= LONGEST_COMPARED; id++) {
      const other = [...this.tokens[id]];
      const worst = found.length < MOST_NEAREST ? Infinity : found[MOST_NEAREST - 1].away;
      if (this.specials.has(id) || other.length > LONGEST_COMPARED ||
        Math.abs(other.length - letters.length) >= worst)
        continue;
      const away = editDistance(letters, other);
      if (away >= Math.max(letters.length, other.length) || away >= worst)
        continue;
      found.push({id, away});
      found.sort((a, b) => a.away - b.away || a.id - b.id);
      found.length = Math.min(found.length, MOST_NEAREST);
    }
    return found.map(({id}) => this.tokens[id]);
  }

  // Why a text cannot be read:
  //
  //     empty      it has no tokens of its own
  //     reserved   it contains a special token, such as [bos]
  //     gaps       it has [mask], but the model was not trained to fill gaps
  //     source     of a pair: there is none before the tab
  //     lines      of a pair: it has two lines
  //     tabs       of a pair: it has two tabs
  problemOf(text, tokens) {
    const masked = this.objective === "masked", pairs = this.objective === "pairs";
    const own = masked ? text.split("[mask]").join("") : text;
    if (!masked && text.includes("[mask]"))
      return {kind: "gaps", token: "[mask]"};
    for (const id of this.specials)
      if (this.tokens[id] && !this.wholes.has(id) && (own + "\n" + this.clean(own)).includes(this.tokens[id]))
        return {kind: "reserved", token: this.tokens[id]};
    if (pairs && !text.split("\t")[0].trim())
      return {kind: "source"};
    if (pairs && text.split("\n").filter(line => line.trim()).length > 1)
      return {kind: "lines"};
    if (pairs && text.split("\t").length > 2)
      return {kind: "tabs"};
    const tokenless = tokens.every(token => token.special && token.id !== this.mask);
    return tokenless ? {kind: "empty"} : null;
  }

  // ---- From ids to a text ----

  // A token as the page shows it: a space as ␣, a line end as ↵.
  shown(id) {
    return this.display[id] ?? this.tokens[id];
  }

  // The text of some tokens, without [bos] and [eos]; [sep] is a tab.
  decode(ids) {
    const parts = [[]]; // between [sep] and [sep]
    for (const id of ids)
      if (id === this.sep)
        parts.push([]);
      else if (id !== this.bos && id !== this.eos)
        parts[parts.length - 1].push(id);
    return parts.map(part => this.decodePart(part)).join("\t");
  }

  decodePart(ids) {
    if (this.kind === "bpe")
      return new TextDecoder().decode(Uint8Array.from(ids.flatMap(id => this.bytes(id))));
    // A straight quote opens and closes in turn: one that closes counts as a token of its own.
    let open = false;
    const among = ids.map(id => this.tokens[id] !== '"' || (open = !open) ? id : this.size);
    return ids.map((id, i) => {
      const between = i && this.kind === "word" ? this.between(among[i - 1], among[i]) : "";
      return between + this.tokens[id];
    }).join("");
  }

  // The bytes that a subword stands for.
  bytes(id) {
    const token = this.tokens[id], bytes = [...token].map(letter => LETTER_BYTES.get(letter));
    const isText = this.specials.has(id) || this.wholes.has(id) || bytes.includes(undefined);
    return isText ? [...new TextEncoder().encode(token)] : bytes;
  }

  // What stands between two words. The space is a tab if the training text has one more often than
  // anything else after the first.
  between(left, right) {
    return !this.spaceBetween(left, right) ? "" : this.tabs.has(left) ? "\t" : " ";
  }

  // Whether white space stands between two words. Around a mark of punctuation the training text
  // decides: by how often it writes the two together and apart or, if it does not have these two,
  // how often the mark touches anything. Otherwise an opening mark touches what follows it,
  // and any other mark what it follows.
  spaceBetween(left, right) {
    const isMark = id =>
      id === this.size || (!this.specials.has(id) && IS_MARK.test(this.tokens[id]));
    const opens = id =>
      id < this.size && (this.tokens[id] === '"' || IS_OPENING.test(this.tokens[id]));
    if (!isMark(left) && !isMark(right))
      return true;
    const together = this.spaced.get(this.pair(left, right)), {before, after} = this.spacing;
    if (together)
      return together < 0;
    const sumAfter = isMark(left) && after[left] || 0;
    const sumBefore = isMark(right) && before[right] || 0;
    if (sumAfter || sumBefore)
      return sumAfter <= 0 && sumBefore <= 0;
    return !(isMark(left) && opens(left)) && !(isMark(right) && !opens(right));
  }
}

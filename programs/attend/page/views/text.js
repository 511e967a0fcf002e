// text.js: the line for a text, what is wrong with what is typed there, and its words as chips.

const FIRST = data.texts[0];

// What an input line can hold: the tab of a pair is an arrow there, and a line end ↵.
const toLine = text => text.replace(/\t/g, " → ").replace(/\r?\n/g, "↵");
const fromLine = line => line.replace(/ *→ */g, "\t").replace(/↵/g, "\n");

// Shows what the model makes of some ids.
function readIds(ids, source, prefix, result) {
  const word = state.word;
  reading = new LiveReading(model, tokenizer, {ids, source, prefix}, result);
  at("typed").value = toLine(tokenizer.decode(ids));
  state.word = fillsGaps() ? word : reading.T - 1;
  state.key = -1;
  state.over = null;
  complain(null);
  tell("read");
}

const encode = () => tokenizer.encode(fromLine(at("typed").value));
const readable = ({problem, unknown, ids}) =>
  !problem && !unknown.length && ids.length <= model.context;

// The words of a text before the first unknown one, which is what an unfinished text is read as;
// null if there are none. What is before a gap or in half a source cannot be read alone.
function knownPart({problem, tokens}) {
  const known = tokens.slice(0, tokens.findIndex(({id}) => id < 0)), ids = known.map(({id}) => id);
  const alone = !problem && tokenizer.objective === "next" && ids.length <= model.context;
  return alone && ids.length ? {ids, source: 0, prefix: 0, gaps: []} : null;
}

// Reads the text that is typed, or as much of it as the model can, and says what is wrong with it.
// If nothing of it can be read, what the page shows is of another text, and is greyed.
function readTyped() {
  at("typed").value = toLine(at("typed").value);
  const encoding = encode(), good = readable(encoding);
  const part = good ? encoding : knownPart(encoding);
  if (part) read(part);
  complain(good ? null : encoding, !part);
  tell("read");
}

// Puts another text into the box.
function retype(text) {
  at("typed").value = toLine(text);
  readTyped();
}

function read(encoding) {
  complain(null);
  stopWriting();
  reading = new LiveReading(model, tokenizer, encoding);
  beginDraws();
  state.word = encoding.gaps.length ? encoding.gaps[0] : reading.T - 1;
  state.key = -1;
  state.over = null;
}

// The line under the text: what is wrong with it; null if nothing is. What is stale is greyed. The
// first text can be restored in any case.
function complain(encoding, stale = false) {
  for (const part of [at("chips"), at("cards")]) part.inert = stale;
  at("restore").hidden = at("typed").value === toLine(FIRST);
  at("unknown").replaceChildren(...encoding ? complaint(encoding) : []);
  at("typed").setAttribute("aria-invalid", Boolean(encoding));
}

// What is wrong with a text, and known words to put in the place of an unknown one.
function complaint(encoding) {
  const {problem, unknown, ids} = encoding;
  if (problem) return [say(`problem_${problem.kind}`, {token: problem.token})];
  if (!unknown.length) return [say("too_long", {n: ids.length, most: model.context})];
  const words = unknown.flatMap(({word, nearest}) => [say("unknown", {word}), " ",
    ...nearest.length ? [say("nearest"), " "] : [],
    ...nearest.flatMap(known => [replacing(word, known), " "])]);
  return knownPart(encoding) ? [...words, say("known_part")] : words;
}

// A button that puts a known word in the place of an unknown one, but not within longer words.
function replacing(word, known) {
  return makeButton(known, () => {
    retype(fromLine(at("typed").value).replace(CUTS[tokenizer.cut],
      piece => tokenizer.clean(piece) === word ? known : piece));
    at("typed").focus();
  });
}

function fillChips() {
  const chips = at("chips"), focused = chips.contains(document.activeElement);
  chips.replaceChildren(...reading.words.map((word, i) => makeButton(word, () => pin(i, -1), {
    className: /^\[.*\]$|^\(.+\)$/.test(word) ? "special" : "",
    onpointerenter: () => pointAt({query: i, key: -1}), onpointerleave: () => pointAt(null),
  })));
  markChips(focused);
}

// The chip of the word that is chosen, and behind each word how much of it the head attends to, or
// how surprising it is.
function markChips(focused) {
  const {query, key} = looked(), weights = reading.weights(state.head);
  [...at("chips").children].forEach((chip, i) => {
    const weight = weights[query * reading.T + i], c = weight >= 0 ? colour(weight) : null;
    chip.setAttribute("aria-pressed", i === query);
    chip.classList.toggle("key", i === key);
    chip.style.setProperty("--weight", c ? css(c) : "transparent");
    shadeChip(chip, i);
  });
  const chosen = at("chips").children[state.word];
  onlyStop(at("chips"), "button", chosen);
  if (focused && chosen) chosen.focus();
}

function shadeChip(chip, i) {
  const {bits} = state.surprise && reading.expected(i) || {};
  const c = bits >= 0 ? colourOfBits(bits) : null;
  chip.style.background = c ? css(c) : state.surprise ? "var(--card)" : "";
  chip.style.color = c ? inkOn(c) : "";
  chip.title = c ? say("bits", {word: reading.words[i], n: decimal(bits, 2)}) : "";
}

function describeText() {
  const {words, source, prefix, T} = reading, shape = say("heads",
    {layers: data.heads.length / data.columns, heads: data.columns});
  at("run").textContent =
    `${data.run} · ${shape} · ${T === 1 ? say("token") : say("tokens", {n: T})}`;
  at("special").textContent = [
    state.surprise ? say("chip_shades", {most: decimal(mostBits(), 1)}) : say("chip_bars"),
    words[0] === "[bos]" && say("bos"),
    words.includes("[sep]") && say("sep"),
    prefix && say("ahead", {part: say(source ? "part_source" : "part_line")}),
    prefix && words.includes("[mask]") && say("mask"),
  ].filter(Boolean).join(" ");
  const shown = model ? at("typed").value : data.text;
  document.title = say("title", {text: shown.slice(0, 80), run: data.run});
}

// The line for the text is as high as its text, which is not cut.
function fitTyped() {
  at("typed").style.height = 0;
  at("typed").style.height = `${at("typed").scrollHeight + 4}px`; // its border
}

at("surprise").addEventListener("click", () => {
  state.surprise = !state.surprise;
  at("surprise").setAttribute("aria-pressed", state.surprise);
  describeText();
  tell("choose");
});

rove(at("chips"), "button", chip => pin([...at("chips").children].indexOf(chip), -1));

views.push({ // see state.js; the first view, because the others are as high as it leaves room
  read() {
    fillChips();
    describeText();
    fitTyped();
  },
  choose() { markChips(at("chips").contains(document.activeElement)); },
  point() { markChips(false); },
  mix() {
    reading.expectations = [];
    markChips(false);
  },
  paint() {
    this.read();
    at("typed").placeholder = say("problem_empty");
    if (at("unknown").textContent) complain(encode(), at("cards").inert);
  },
});

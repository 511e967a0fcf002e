// app.js: the text and its words, links, language and colours; then the page begins.

const tokenizer = data.model ? new Tokens(data.tokenizer) : null;
let model = data.model ? new Model(data.model, floatsOf(at("weights").textContent)) : null;
const counts = data.model && data.counts ? new Counts(data.counts, tokenizer) : null;
const FIRST = data.texts[0];

/* ---- The text ---- */

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

// Reads the text that is typed, if the model can; else says why not and keeps what was there.
function readTyped() {
  const encoding = encode();
  if (!readable(encoding)) return complain(encoding);
  read(encoding);
  return tell("read");
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

// The line under the text: what is wrong with it; null if nothing is. The first text can be restored
// in any case.
function complain(encoding) {
  at("restore").hidden = at("typed").value === toLine(FIRST);
  at("unknown").replaceChildren(...encoding ? complaint(encoding) : []);
  at("typed").setAttribute("aria-invalid", Boolean(encoding));
}

// What is wrong with a text, and known words to put in the place of an unknown one.
function complaint({problem, unknown, ids}) {
  if (problem) return [say(`problem_${problem.kind}`, {token: problem.token})];
  if (!unknown.length) return [say("too_long", {n: ids.length, most: model.context})];
  return unknown.flatMap(({word, nearest}) => [say("unknown", {word}), " ",
    ...nearest.length ? [say("nearest"), " "] : [],
    ...nearest.flatMap(known => [replacing(word, known), " "])]);
}

// A button that puts a known word in the place of an unknown one, but not within longer words.
function replacing(word, known) {
  const button = make("button", known, {type: "button"});
  button.addEventListener("click", () => {
    retype(fromLine(at("typed").value).replace(CUTS[tokenizer.cut],
      piece => tokenizer.clean(piece) === word ? known : piece));
    at("typed").focus();
  });
  return button;
}

function fillChips() {
  const chips = at("chips"), focused = chips.contains(document.activeElement);
  chips.replaceChildren(...reading.words.map((word, i) => {
    const chip = make("button", word, {type: "button"});
    if (/^\[.*\]$/.test(word)) chip.classList.add("special");
    chip.addEventListener("click", () => pin(i, -1));
    chip.addEventListener("pointerenter", () => pointAt({query: i, key: -1}));
    chip.addEventListener("pointerleave", () => pointAt(null));
    return chip;
  }));
  markChips(focused);
}

// The chip of the word that is chosen, and behind each word how much of it the head attends to.
function markChips(focused) {
  const {query, key} = looked(), weights = reading.weights(state.head);
  [...at("chips").children].forEach((chip, i) => {
    const weight = weights[query * reading.T + i], c = weight >= 0 ? colour(weight) : null;
    chip.setAttribute("aria-pressed", i === query);
    chip.classList.toggle("key", i === key);
    chip.style.setProperty("--weight", c ? css(c) : "transparent");
  });
  const chosen = at("chips").children[state.word];
  onlyStop(at("chips"), "button", chosen);
  if (focused && chosen) chosen.focus();
}

function describeText() {
  const {words, source, prefix, T} = reading, shape = say("heads",
    {layers: data.heads.length / data.columns, heads: data.columns});
  at("run").textContent =
    `${data.run} · ${shape} · ${T === 1 ? say("token") : say("tokens", {n: T})}`;
  at("special").textContent = [
    words[0] === "[bos]" && say("bos"),
    source && say("sep"),
    prefix && say("ahead", {part: say(source ? "part_source" : "part_line")}),
    prefix && words.includes("[mask]") && say("mask"),
  ].filter(Boolean).join(" ");
  const shown = model ? at("typed").value : data.text;
  document.title = say("title", {text: shown.slice(0, 80), run: data.run});
}

/* ---- Links ---- */

// #L2H3 chooses a head; &text=… another text, if the page has a model.
function follow() {
  const [, layer, head] = location.hash.match(/^#L(\d+)H(\d+)/) || [];
  const text = new URLSearchParams(location.hash).get("text");
  if (model && text && text !== at("typed").value) {
    at("typed").value = text;
    if (reading) readTyped();
  }
  const index =
    data.heads.findIndex(one => one.layer === Number(layer) && one.head === Number(head));
  if (index >= 0 && index !== state.head) {
    setHead(index);
    if (reading) tell("choose");
  }
}

// Writes the link into the address, after a pause: browsers allow few such changes in a second.
let linking = 0;
function linkSoon() {
  clearTimeout(linking);
  linking = setTimeout(link, 200);
}

function link() {
  const {layer, head} = data.heads[state.head];
  const other = model && at("typed").value !== toLine(FIRST);
  const hash = `#L${layer}H${head}${other ? `&text=${encodeURIComponent(at("typed").value)}` : ""}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

/* ---- Language and colours ---- */

function repaint() {
  document.documentElement.dataset.theme = state.dark ? "dark" : "light";
  sayAll();
  at("theme").textContent = say(state.dark ? "light" : "dark");
  at("theme").setAttribute("aria-label", say(state.dark ? "to_light" : "to_dark"));
  at("language").textContent = say("other_language");
  at("language").lang = state.language === "en" ? "es" : "en";
  if (at("unknown").textContent) complain(encode());
  tell("paint");
}

at("theme").addEventListener("click", () => {
  state.dark = !state.dark;
  repaint();
});
at("language").addEventListener("click", () => {
  state.language = state.language === "en" ? "es" : "en";
  repaint();
});
const darkness = matchMedia("(prefers-color-scheme: dark)");
state.dark = darkness.matches;
darkness.addEventListener("change", () => {
  state.dark = darkness.matches;
  repaint();
});
addEventListener("resize", soon(() => tell("fit", "paint")));
addEventListener("hashchange", follow);
rove(at("chips"), "button", chip => pin([...at("chips").children].indexOf(chip), -1));

views.push({ // see state.js
  read() {
    fillChips();
    describeText();
    if (location.hash) linkSoon();
  },
  choose() {
    markChips(at("chips").contains(document.activeElement));
    linkSoon();
  },
  point() { markChips(false); },
  paint() {
    fillChips();
    describeText();
  },
});

/* ---- The beginning ---- */

function beginLive() {
  at("entry").hidden = false;
  at("typed").value = toLine(FIRST);
  follow();
  at("typed").addEventListener("input", readTyped);
  at("restore").addEventListener("click", () => retype(FIRST));
  at("texts").hidden = data.texts.length < 2;
  at("choice").replaceChildren(
    ...data.texts.map((text, i) => make("option", toLine(text), {value: i})));
  at("choice").addEventListener("change", () => retype(data.texts[at("choice").value]));
  // A link may bring another text; the first one is read as it is, not as the line can hold it.
  const linked = at("typed").value !== toLine(FIRST) && readable(encode());
  if (!linked) at("typed").value = toLine(FIRST);
  read(linked ? encode() : tokenizer.encode(FIRST));
}

function beginStatic() {
  document.body.classList.add("static");
  follow();
  at("text").hidden = false;
  at("text").textContent = data.text;
  at("text").className = data.text.length > 120 ? "long" : "";
  reading = new PackedReading();
  state.word = reading.T - 1;
}

document.body.classList.toggle("many", data.columns > 8);
if (model) beginLive();
else beginStatic();
state.lifted = reading.T > 24; // among many words each gets little
repaint();

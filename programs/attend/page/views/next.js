// next.js: what the model expects after the word that is chosen, beside what the training text has
// there; and writing on, word by word, as ./sample does.

const MOST_BARS = 8, CONTEXT_LETTERS = 27;
const SLIDERS = { // least, most, step, and how a value is written
  temperature: [0.1, 2, 0.1, value => decimal(value, 1)],
  topK: [0, 20, 1, value => value ? String(value) : say("all")],
  topP: [0.05, 1, 0.05, value => decimal(value, 2)],
};
if (mixture) {
  SLIDERS.share = [0, 1, 0.05, value => decimal(value, 2)];
  state.share = mixture.share;
}
let writing = 0; // a timer while the page writes by itself
let place = 0;   // words drawn since the last change by hand
let gaps = [];   // the places of [mask] then
let bars = null; // what the bars show: {ids, logits, drawn}

// The place whose word is predicted: a model that fills gaps predicts the word itself.
const fillsGaps = () => tokenizer && tokenizer.objective === "masked";

function draws() {
  const {temperature, topK, topP} = state;
  return new Draws(tokenizer, {seed: Number(at("seed").value) || 0, temperature, topK, topP});
}

// The text in the box, or how words are drawn, was changed by hand. What is drawn from now on is
// what ./sample draws if it is given the text that stands in the box now.
function beginDraws() {
  place = 0;
  gaps = gapsOf(reading.ids);
}

const gapsOf = ids => [...ids.keys()].filter(i => ids[i] === tokenizer.mask);

// What the bars are of: what comes after the word that is chosen or, if surprise is shown, what was
// expected in the place of the word that is looked at.
const asked = () => state.surprise && reading.expected(looked().query) ||
  {ids: reading.ids, word: state.word, scores: reading.result.logitsAt(state.word)};

// How often the text has each token at the place that is predicted, or null if that is not known.
function countedAt(ids, word) {
  if (!counts) return null;
  if (!fillsGaps()) return counts.after(ids.slice(0, word + 1));
  const gap = gapsOf(ids).indexOf(word);
  if (gap < 0) return null;
  const {times, total} = counts.gaps(ids);
  return {times: times[gap], total};
}

// What the model expects is outlined, what may be drawn is filled, a mark is at the share that the
// word has in the text, and below is its share in the model of all lines.
function track(expected, drawn, inText, before) {
  const parts = [
    make("i", "",
      {className: "model", style: `width: ${100 * expected}%`, hidden: expected < 0.005}),
    make("i", "", {className: "drawn", style: `width: ${100 * drawn}%`}),
    inText ? make("i", "", {className: "text", style: `left: ${100 * inText}%`}) : null,
    before === undefined ? null
      : make("i", "", {className: "before", style: `width: ${100 * before}%`}),
  ];
  return make("span", parts, {className: "track"});
}

function bar(id, word, expected, drawn, counted, before) {
  const share = probability(drawn), total = counted ? counted.total : 0;
  const times = total ? counted.times.get(id) || 0 : 0, inText = total ? times / total : 0;
  const label = say("append", {word, share}) +
    (total ? `, ${say("counted", {times, total})}` : "") +
    (before === undefined ? "" : `, ${say("whole")} ${probability(before)}`);
  const button = makeButton([
    make("span", word, {className: "word"}),
    track(expected, drawn, inText, before),
    make("span", [share, before === undefined ? "" : make("small", probability(before))],
      {className: "share"}),
    make("span", total ? `${times}/${total}` : "", {className: "count"}),
  ], () => take(id), {aria: {label, describedby: "steps"}});
  button.disabled = id === undefined || tokenizer.barred[id] || id === tokenizer.eos;
  button.classList.toggle("cut", drawn === 0);
  button.classList.toggle("counted", times > 0);
  return make("li", button);
}

// What the other page in the lab lists at a place of the text: {token, name, share}; here some of
// these tokens may be unknown.
const listedFor = word => state.listed?.word === word ? state.listed.tokens : [];

// Which of them is no longer what it was without some lines of the text, in the lab.
function sayChange(listed, model, after) {
  const shares = listed.map(({token, name, share}) =>
    ({word: name, from: share, to: model[tokenizer.ids.get(token)] || 0}));
  const size = ({from, to}) => Math.max(from - to, 0.9 * (to - from)); // rather what falls
  const {word, from, to} = shares.reduce((most, one) => size(one) > size(most) ? one : most,
    {from: 0, to: 0});
  const kind = Math.abs(to - from) < 0.01 ? "none" : to < from ? "falls" : "rises";
  at("change").replaceChildren(...state.without && listed.length ? sentenceWith(`change_${kind}`, {
    lines: state.without, word, after, from: percent(from), to: percent(to)}) : []);
}

// The number of the bar that a part of the page is in, or -1.
const barWith = part => [...at("bars").children].findIndex(bar => bar.contains(part));

// How the share of a bar's word comes about; -1 stands for the first bar. Scores are divided by the
// temperature; words that are never drawn have no share.
function showSteps(number) {
  const {ids, logits, drawn} = bars, id = ids[number] ?? ids[0], {temperature} = state;
  const score = asShown(logits[id]), scaled = asShown(score / temperature);
  const scores = drawn.map((p, other) => p > 0 ? logits[other] / temperature : -Infinity);
  const divided = temperature === 1 ? "" : ` / ${temperature} = ${decimal(scaled, 4)}`;
  const named = `${tokenizer.shown(id)}: ${say("score")} ${decimal(score, 4)}${divided}`;
  at("steps").textContent =
    drawn[id] > 0 ? softmaxSteps(named, scaled, scores, probability(drawn[id])) : named;
}

function fillBars() {
  const {ids, word, scores: logits, bits} = asked(), model = softmax(logits);
  const drawn = draws().probabilities(logits), counted = countedAt(ids, word);
  const listed = listedFor(word), isKnown = ({token}) => tokenizer.ids.has(token);
  const before = state.without?.length >= 0 ? listed : []; // of the model of all lines
  const shown = listed.length ? listed.filter(isKnown).map(({token}) => tokenizer.ids.get(token))
    : ranked(model).filter(id => !tokenizer.barred[id]).slice(0, MOST_BARS);
  const rest = model.length - shown.length;
  const stands = bits >= 0 ? reading.ids[looked().query] : -1;
  if (stands >= 0 && !shown.includes(stands)) shown[shown.length - 1] = stands;
  const focused = barWith(document.activeElement);
  bars = {ids: shown, logits, drawn};
  at("bars").classList.toggle("two", before.length > 0);
  at("bars").replaceChildren(
    ...shown.map(id => bar(id, tokenizer.shown(id), model[id], drawn[id], counted,
      before.find(({token}) => token === tokenizer.tokens[id])?.share)),
    ...before.filter(one => !isKnown(one)).map(({name, share}) =>
      bar(undefined, name, 0, 0, counted, share)));
  at("bars").children[shown.indexOf(stands)]?.classList.add("stands");
  showSteps(0);
  const left = shown.reduce((sum, id) => sum - drawn[id], 1);
  at("cut").textContent = rest > 0 ? say(rest === 1 ? "other" : "others",
    {n: rest, share: probability(Math.max(0, left))}) : "";
  fillLegend(shown, counted, before.length > 0);
  tellLab({listed: {word, tokens: shown.map(id =>
    ({token: tokenizer.tokens[id], name: tokenizer.shown(id), share: model[id]}))}});
  const words = reading.words.slice(0, word + (fillsGaps() ? 0 : 1));
  let context = words.join(" ") + (fillsGaps() ? " ▁" : "");
  if (context.length > CONTEXT_LETTERS)
    context = `… ${context.slice(-CONTEXT_LETTERS).replace(/^\S*\s/, "")}`;
  at("context").textContent = context;
  sayChange(before, model, toLine(tokenizer.decode(ids.slice(0, word + 1))) || context);
  at("next-title").textContent = stands < 0 ? say(fillsGaps() ? "gap" : state.details ? "next" : "plain_next")
    : say("instead", {word: tokenizer.shown(stands), n: decimal(bits, 2)});
  const stop = at("bars").querySelectorAll("button")[Math.max(focused, 0)];
  if (focused >= 0 && stop) stop.focus();
}

// What the marks of the bars mean: the frame and the fill, the mark and the fraction, and [eos].
function fillLegend(shown, counted, compared) {
  const mark = (kind, sentence) => [make("i", "", {className: kind}), `${sentence} `];
  const total = counted ? counted.total : 0;
  const shares = total ? shown.filter(id => counted.times.get(id))
    .map(id => `${counted.times.get(id)}/${total}`) : [];
  const few = !state.details && shares.length > 0 && shares.length < 4;
  const inText = few ? say("plain_text", {shares: new Intl.ListFormat(state.language).format(shares)})
    : say("legend_text");
  at("about-bars").replaceChildren(
    ...mark("drawn", say(mixture && mixture.share ? "legend_both" : "legend_model")),
    ...compared ? mark("before", `${say("whole")}.`) : [],
    ...total ? mark("text", inText) : [],
    state.details && shown.includes(tokenizer.eos) ? say("eos") : "");
}

/* ---- Going on ---- */

// Puts a token after the word that is chosen, or into the gap.
function continueWith(id) {
  const {ids, source, prefix} = reading;
  if (fillsGaps()) return readIds(ids.map((old, i) => i === state.word ? id : old), source, prefix);
  const writer = new Writer(model, tokenizer, [...ids.slice(0, state.word + 1), id], prefix);
  return readIds(writer.ids, writer.forgot ? 0 : source, writer.prefix, writer.reading);
}

// The user has chosen a token. A subword may join with what stands before it, so the text in the
// box is read again if it has other tokens.
function take(id) {
  stopWriting();
  state.word = asked().word;
  continueWith(id);
  const encoding = encode();
  if (readable(encoding) && encoding.ids.join() !== reading.ids.join()) {
    read(encoding);
    tell("read");
  }
  beginDraws();
}

// Fills the gap of which the model is surest; false if there is none.
function fillGap() {
  if (!reading.ids.includes(tokenizer.mask)) return false;
  state.word = surestGap(reading.result, tokenizer);
  continueWith(draws().next(reading.result.logitsAt(state.word), gaps.indexOf(state.word)));
  return true;
}

// One word more, drawn; false at the end of the text. A target ends when the context is full: it
// needs its whole source.
function writeWord() {
  if (fillsGaps()) return fillGap();
  if (tokenizer.objective === "pairs" && reading.T >= model.context) return false;
  state.word = reading.T - 1;
  const id = draws().next(reading.result.logitsAt(state.word), place);
  if (id === tokenizer.eos) {
    tell("choose");
    return false;
  }
  continueWith(id);
  place++;
  return true;
}

const writeName = () => fillsGaps() ? "fill" : "write";

// `ended`: because nothing can follow, which a line then says.
function stopWriting(ended = false) {
  clearInterval(writing);
  writing = 0;
  at("ended").hidden = !ended;
  at("write").textContent = say(writeName());
}

function fillSliders() {
  at("sliders").replaceChildren(...Object.entries(SLIDERS).map(([name, [min, max, step, text]]) => {
    const value = make("output", text(state[name]));
    const most = name === "topK" ? Math.min(max, tokenizer.size) : max;
    const input = make("input", "", {type: "range", min, max: most, step});
    input.value = state[name];
    input.addEventListener("input", () => {
      state[name] = Number(input.value);
      value.textContent = text(state[name]);
      beginDraws();
      if (mixture) mixture.share = state.share;
      if (name === "share") tell("mix");
      else fillBars();
    });
    return make(
      "label", [make("span", say(name)), input, value], {className: "slider"});
  }));
}

if (data.model) {
  at("next").hidden = false;
  at("hint-write").dataset.say = fillsGaps() ? "hint_fill" : "hint_write";
  at("ended").dataset.say = fillsGaps() ? "filled" : "ended";
  at("write").addEventListener("click", () => {
    if (writing) return stopWriting();
    stopWriting();
    at("write").textContent = say("stop");
    writing = setInterval(() => {
      if (!writeWord()) stopWriting(true);
    }, 300);
    return undefined;
  });
  at("step").addEventListener("click", () => stopWriting(!writeWord()));
  at("seed").addEventListener("input", beginDraws);
  at("bars").addEventListener("pointerover", event => showSteps(barWith(event.target)));
  at("bars").addEventListener("focusin", event => showSteps(barWith(event.target)));
  at("bars").addEventListener("pointerleave", () => showSteps(barWith(document.activeElement)));
  views.push({ // see state.js
    read: fillBars, choose: fillBars, mix: fillBars,
    point() { if (state.surprise) fillBars(); },
    paint() {
      fillSliders();
      fillBars();
      at("write").textContent = say(writing ? "stop" : writeName());
    },
  });
}

// large.js: the head that is chosen, large, as a matrix or as arcs, a second one beside it, or one
// word in all heads; and the numbers about it.

const FORMS = ["matrix", "arcs", "across"];
let plots = []; // {which: "head" or "other", view: a Table or Arcs, and the texts around it}

const isMatrix = () => state.form === "matrix";

// Keeps a word, and perhaps a key with it. The same cell again lets go of the key.
function pin(query, key) {
  const again = key >= 0 && query === state.word && key === state.key;
  state.word = query;
  state.key = again ? -1 : key;
  tell("choose");
}

function pointAt(cell) {
  if (JSON.stringify(cell) === JSON.stringify(state.over)) return;
  state.over = cell;
  tell("point");
}

/* ---- The three forms ---- */

function headTable(holder, which) {
  return new Table(holder, {
    label: say("words_by_words"),
    rows: () => reading.words,
    columns: () => reading.words,
    value: (query, key) => reading.weights(state[which])[query * reading.T + key],
    colour, square: true,
    looked: () => ({row: looked().query, column: looked().key}),
    point: cell => pointAt(cell && {query: cell.row, key: cell.column}),
    pin: (cell, moved) => {
      if (moved) state.key = -1;
      pin(cell.row, cell.column);
    },
    marks: () => reading.source,
  });
}

// Rows are the heads. A click on a row chooses the head.
function acrossTable(holder) {
  const among = cell => ({query: state.word, key: cell.column, head: cell.row});
  return new Table(holder, {
    label: say("words_by_words"),
    rows: () => data.heads.map(head => `${head.layer} · ${head.head}`),
    columns: () => reading.words,
    value: (head, key) => reading.weights(head)[state.word * reading.T + key],
    colour,
    looked: () => {
      const head = state.over ? state.over.head : state.key >= 0 ? state.head : undefined;
      return {row: head ?? -1, column: looked().key};
    },
    point: cell => pointAt(cell && among(cell)),
    pin: cell => {
      setHead(cell.row);
      state.key = cell.column;
      tell("choose");
    },
  });
}

function headArcs(holder, which) {
  return new Arcs(holder, {
    label: say("chips"),
    weights: () => reading.weights(state[which]),
    word: () => looked().query,
    point: query => pointAt(query < 0 ? null : {query, key: -1}),
    pin: query => pin(query, -1),
  });
}

function fillPlots() {
  const beside = state.other >= 0 && state.form !== "across";
  const focused = plots.findIndex(plot => plot.view.scroller.contains(document.activeElement));
  at("plots").replaceChildren();
  at("plots").className = beside ? "two" : state.form;
  document.body.classList.toggle("comparing", beside);
  at("about-form").textContent = say(`about_${state.form}`);
  at("hint-form").textContent = say(`hint_${state.form}`);
  plots = (beside ? ["head", "other"] : ["head"]).map(which => {
    const plot = {which, name: make("h3", ""), summary: make("p", "", {className: "summary"}),
      readout: make("p", "", {className: "readout", aria: {live: "polite"}}),
      steps: make("p", "", {className: "steps", hidden: !data.model || state.form === "arcs"})};
    plot.summary.title = say("summary");
    const holder = make("div", [plot.name, plot.summary, plot.readout], {className: "plot"});
    plot.name.hidden = !beside;
    at("plots").append(holder);
    plot.view = state.form === "across" ? acrossTable(holder)
      : isMatrix() ? headTable(holder, which) : headArcs(holder, which);
    holder.append(plot.steps);
    return plot;
  });
  if (plots[focused]) plots[focused].view.scroller.focus();
  arrangePlots();
  describe();
}

// How high a picture may be: what is left of the window, or what the width suggests.
function tallest() {
  const top = plots[0].view.scroller.getBoundingClientRect().top + scrollY, unit = rem();
  const wide = plots[0].view.scroller.clientWidth;
  const below = innerHeight - top - (data.model ? 10.5 : 8) * unit; // steps, buttons, hint
  if (state.projector) return Math.max(12 * unit, innerHeight - top - 2 * unit);
  return Math.max(Math.min(wide, 26 * unit), innerWidth > 68 * unit ? below : wide * 1.15);
}

function arrangePlots() {
  const tall = tallest();
  for (const {view} of plots) view.arrange(tall, state.zoom);
  const place = isMatrix() && plots[0].view.place;
  at("zoom").hidden = !place || place.fitted >= 1.4 * rem();
}

/* ---- The text with it ---- */

function summaryParts(head) {
  const means = reading.summary(head);
  const part = (name, value) => value === null ? "" : say(name, {n: value});
  const share = value => value === null ? null : percent(value), pattern = data.heads[head].pattern;
  return [pattern === "all" ? "" : pattern, part("entropy", decimal(means.entropy_bits, 2)),
    part("distance", decimal(means.back, 1)), part("itself", share(means.itself)),
    part("before", share(means.before)), part("after", share(means.after)),
    part("on_bos", share(means.bos))].filter(text => text);
}

// A sentence of words.js with some of its values in bold.
function sentenceWith(name, values) {
  const filled = say(name, Object.fromEntries(Object.keys(values).map(key => [key, `\0${key}\0`])));
  return filled.split("\0").map((part, i) => i % 2
    ? make("b", values[part], {className: part}) : part);
}

function readoutOf(head) {
  const {query, key} = looked(), words = reading.words;
  const hint = state.form === "arcs" ? "point_word" : "point";
  if (key < 0) return [make("span", say(hint), {className: "quiet"})];
  const weight = reading.weights(head)[query * reading.T + key];
  const named = {query: words[query], key: words[key]};
  if (weight >= 0) {
    const number = make("span", decimal(weight, 4), {className: "number"});
    return [...sentenceWith(query === key ? "attends_itself" : "attends", named), " ", number];
  }
  const why = key > query && !seesAhead(query, key) ? say("later")
    : say("pattern", {pattern: data.heads[head].pattern});
  return [...sentenceWith("cannot", named), `: ${why}`];
}

// How a weight comes about, if the page has the model.
function stepsTo(head) {
  const {query, key} = looked();
  if (!data.model || key < 0) return "";
  const scores = reading.scores(head, query), score = asShown(scores[key]);
  if (scores[key] === -Infinity) return "";
  const named = `q·k/√${data.model["head-size"]} = ${decimal(score, 4)}`;
  const share = decimal(reading.weights(head)[query * reading.T + key], 4);
  const steps = softmaxSteps(named, score, scores, share);
  return steps === named ? named : `${steps}. ${say("divisor")}`;
}

function describe() {
  const tokens = reading.T === 1 ? say("token") : say("tokens", {n: reading.T});
  const across = state.form === "across";
  at("name").replaceChildren(...across ?
      sentenceWith("across_name", {word: reading.words[looked().query]}) :
      [plots.length > 1 ? say(state.details ? "two_heads" : "plain_heads") : headName(state.head)]);
  for (const plot of plots) {
    const head = across && looked().key >= 0 ? state.over?.head ?? state.head : state[plot.which];
    plot.name.textContent = headName(head);
    plot.summary.replaceChildren(...across ? [] : listed(summaryParts(head)));
    const readout = readoutOf(head);
    if (across && looked().key >= 0) readout.unshift(`${headName(head)}: `);
    plot.readout.replaceChildren(...readout);
    plot.steps.textContent = stepsTo(head);
    plot.view.canvas.setAttribute("aria-label",
      say("picture", {head: headName(head), tokens, summary: plot.summary.textContent}));
  }
  at("compare").setAttribute("aria-pressed", state.other >= 0);
  at("compare").hidden = across || data.heads.length < 2;
  at("forms").querySelectorAll("button").forEach(button =>
    button.setAttribute("aria-pressed", button.value === state.form));
}

function fillForms() {
  at("forms").replaceChildren(...FORMS.map(form => makeButton(say(form), () => {
    state.form = form;
    fillPlots();
  }, {value: form})));
}

/* ---- What the user does ---- */

function zoomTo(zoom) {
  const {view} = plots[0], {scroller} = view, old = view.place;
  const x = (scroller.scrollLeft + (view.width - old.left) / 2) / old.w; // the middle stays
  const y = (scroller.scrollTop + (view.height - old.top) / 2) / old.h;
  state.zoom = Math.max(1, Math.min(zoom, 4 * rem() * state.zoom / old.w * 1.01));
  arrangePlots();
  for (const plot of plots) {
    const {place, width, height} = plot.view;
    plot.view.scroller.scrollTo(
      x * place.w - (width - place.left) / 2, y * place.h - (height - place.top) / 2);
  }
}

at("compare").addEventListener("click", () => {
  state.other = state.other >= 0 ? -1 : (state.head + 1) % data.heads.length;
  fillPlots();
  tell("choose");
});
at("larger").addEventListener("click", () => zoomTo(state.zoom * 1.6));
at("smaller").addEventListener("click", () => zoomTo(state.zoom / 1.6));
at("fit").addEventListener("click", () => zoomTo(1));
at("plots").addEventListener("keydown", event => {
  if (event.key === "Escape") pin(state.word, -1);
  else if (at("zoom").hidden || !["+", "-", "0"].includes(event.key)) return;
  else zoomTo(event.key === "+" ? state.zoom * 1.6 : event.key === "-" ? state.zoom / 1.6 : 1);
  event.preventDefault();
});
for (const kind of ["svg", "png"])
  at(kind).addEventListener("click", () => {
    const head = data.heads[state.head];
    const name =
      state.form === "across" ? reading.words[state.word] : `L${head.layer}H${head.head}`;
    plots.forEach((plot, i) => plot.view.save(kind, `${name}${i ? "-2" : ""}`));
  });

function redraw() {
  for (const {view} of plots) view.draw();
  describe();
}

views.push({ // see state.js
  read() {
    state.zoom = 1;
    arrangePlots();
    describe();
  },
  choose: redraw,
  point: redraw,
  fit: arrangePlots,
  paint() {
    fillForms();
    fillPlots();
  },
});

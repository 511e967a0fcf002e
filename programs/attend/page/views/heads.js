// heads.js: all heads at once, small, by layer or sorted by what they do. A click chooses the one
// that is shown large.

const grid = at("grid");

// What the heads can be sorted by: a number from a head's summary, the largest first, and how it is
// written.
const ORDERS = {
  by_layer: null,
  by_bos: [means => means.bos, percent],
  by_before: [means => means.before, percent],
  by_itself: [means => means.itself, percent],
  by_after: [means => means.after, percent],
  by_focus: [means => -means.entropy_bits, value => `${decimal(-value, 2)} bit`],
  by_distance: [means => means.back, value => decimal(value, 1)],
};

// The indexes of the heads, in the order that is chosen; last those that have no such number.
function ordered() {
  const all = data.heads.map((head, index) => index), order = ORDERS[state.order];
  if (!order) return all;
  const number = index => order[0](reading.summary(index)) ?? -Infinity;
  return all.sort((a, b) => number(b) - number(a) || a - b);
}

// How many heads of a layer stand side by side, in lines of equal length, and the side of a small
// picture: as large as there is room for, in width and in what the window has below. If it has no
// room for pictures that can be seen, they take the width.
function sizeOfSmalls() {
  const unit = rem(), least = 2.2 * unit, around = 0.85 * unit, wide = grid.clientWidth;
  const lines = Math.ceil(data.columns / (Math.floor(wide / (least + around)) || 1));
  const inLine = Math.ceil(data.columns / lines), layers = data.heads.length / data.columns;
  const down = innerWidth > 68 * unit
    ? ((innerHeight - 24 * unit) / layers - 1.3 * unit) / lines - 1.5 * unit : Infinity;
  const room = down < least ? Infinity : down;
  const side = Math.max(least, Math.min(wide / inLine - around, room, 7 * unit));
  return {inLine, side: Math.floor(side)};
}

function smallButton(index, side) {
  const head = data.heads[index], order = ORDERS[state.order];
  const number = order ? order[0](reading.summary(index)) : null;
  const value = number === null ? "" : order[1](number);
  const canvas = make("canvas", ""), small = reading.small(index);
  canvas.width = canvas.height = Math.sqrt(small.length);
  canvas.style.width = canvas.style.height = `${side}px`;
  if (canvas.width < side) canvas.style.imageRendering = "pixelated";
  drawSmall(canvas, small);
  const caption = order ? `${head.layer}·${head.head} ${value}`.trim() : `${head.head}`;
  const label = [headName(index), value, isOff(index) ? say("off") : ""].filter(Boolean).join(", ");
  return makeButton([canvas, make("span", caption)], () => choose(index),
    {value: index, className: isOff(index) ? "off" : "", aria: {label}});
}

function drawSmall(canvas, small) {
  const pen = canvas.getContext("2d"), image = pen.createImageData(canvas.width, canvas.width);
  small.forEach((weight, i) => { // where there is no key to attend to, the hatching shows through
    if (weight >= 0) image.data.set([...colour(weight), 255], 4 * i);
  });
  pen.putImageData(image, 0, 0);
}

// The head to show large; while two are compared, in place of the one chosen first.
function setHead(index) {
  if (state.other === index) state.other = state.head;
  state.head = index;
}

function choose(index) {
  if (index === state.head) return;
  setHead(index);
  tell("choose");
}

function fillGrid() {
  const {inLine, side} = sizeOfSmalls(), focused = grid.contains(document.activeElement);
  const row = (name, indexes) => make("div", [
    name ? make("span", name, {className: "layer"}) : null,
    make("div", indexes.map(index => smallButton(index, side)), {className: "cells"})]);
  const rows = [], order = ordered();
  if (state.order !== "by_layer") rows.push(row("", order));
  else
    for (let first = 0; first < order.length; first += data.columns)
      rows.push(row(say("layer", {layer: data.heads[order[first]].layer}),
        order.slice(first, first + data.columns)));
  grid.classList.toggle("pair", reading.source > 0);
  grid.classList.toggle("layers", state.order === "by_layer");
  grid.style.setProperty("--in-line", inLine);
  grid.style.setProperty("--side", `${side}px`);
  grid.style.setProperty("--source", `${100 * reading.source / reading.T}%`);
  grid.replaceChildren(...rows);
  const captions = [...grid.querySelectorAll("button span")].map(span => span.textContent.length);
  grid.style.setProperty("--caption", Math.max(...captions));
  markGrid(focused);
}

function markGrid(focused) {
  for (const button of grid.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", Number(button.value) === state.head);
    button.classList.toggle("beside", Number(button.value) === state.other);
  }
  const chosen = grid.querySelector("[aria-pressed=true]") || grid.querySelector("button");
  onlyStop(grid, "button", chosen);
  if (focused && chosen) chosen.focus();
}

function drawKey() {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map(i => css(ramp()[i]));
  at("bar").style.background = `linear-gradient(90deg, ${stops})`;
  at("ticks").replaceChildren(...[0, 0.1, 0.25, 0.5, 1].filter(w => w !== 0.1 || state.lifted)
    .map(weight => {
      const tick = make("span", decimal(weight, weight === 0.25 ? 2 : weight % 1 ? 1 : 0));
      tick.style.left = `${100 * lift(weight)}%`;
      return tick;
    }));
  at("lift").setAttribute("aria-pressed", state.lifted);
}

// Whether any head has the number of an order. Only in a prefix do words attend to the next one:
// elsewhere no head needs to be asked, which takes long in a long text.
function hasOrder(name) {
  if (name === "by_layer") return true;
  if (name === "by_after" && !reading.prefix) return false;
  return data.heads.some((head, index) => ORDERS[name][0](reading.summary(index)) !== null);
}

function fillOrders() {
  const known = Object.keys(ORDERS).filter(hasOrder);
  if (!known.includes(state.order)) state.order = "by_layer";
  at("order").replaceChildren(...known.map(name => make("option", say(name), {value: name})));
  at("order").value = state.order;
}

at("order").addEventListener("change", () => {
  state.order = at("order").value;
  fillGrid();
});
at("lift").addEventListener("click", () => {
  state.lifted = !state.lifted;
  tell("paint");
});
rove(grid, "button", button => choose(Number(button.value)));

views.push({ // see state.js
  read() {
    fillOrders();
    fillGrid();
  },
  choose() { markGrid(grid.contains(document.activeElement)); },
  fit: fillGrid,
  paint() {
    fillOrders();
    drawKey();
    fillGrid();
  },
});

// page.js: everything the page does.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const packed = document.getElementsByClassName("packed");
const words = data.words, T = words.length, heads = data.heads;
const columns = data.columns; // heads of a layer
const source = data.source < T ? data.source : 0; // where the target begins; 0: not a pair
const seesAhead = (query, key) => query < data.prefix && key < data.prefix;
const at = id => document.getElementById(id);

const state = {
  head: 0,           // an index into heads
  cell: null,        // [query, key] that is pointed at
  lifted: T > 40,    // colour by the root of the weight: among many words each gets little
  zoom: 1,
  dark: false,
};

/* ---- Unpacking ---- */

function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// The keys that a query attends to: calls each(from, end) for each of their ranges.
function eachRange(head, query, each) {
  for (const [first, last] of head.ranges[query]) each(first - 1, last); // counted from 1
}

// A head's weights in ten thousandths, as T rows of T, -1 if the query cannot attend to the key.
// Unpacked when the head is first shown; the last few stay.
const unpacked = new Map();
function weightsOf(index) {
  if (!unpacked.has(index)) {
    if (unpacked.size > 3) unpacked.delete(unpacked.keys().next().value);
    const bytes = bytesOf(packed[index].textContent), weights = new Int16Array(T * T).fill(-1);
    let next = 0;
    for (let query = 0; query < T; query++)
      eachRange(heads[index], query, (from, end) => {
        for (let key = from; key < end; key++, next += 2)
          weights[query * T + key] = bytes[next] | bytes[next + 1] << 8;
      });
    unpacked.set(index, weights);
  }
  return unpacked.get(index);
}

// The weight from 0 to 1, or -1 if the query cannot attend to the key.
function weightAt(weights, query, key) {
  const weight = weights[query * T + key];
  return weight < 0 ? -1 : weight / 10000;
}

/* ---- Colours ---- */

function rampOf(hex) {
  const ramp = [];
  for (let i = 0; i < 256; i++)
    ramp.push([0, 2, 4].map(d => parseInt(hex.substr(6 * i + d, 2), 16)));
  return ramp;
}
const ramps = {light: rampOf(data.light), dark: rampOf(data.dark)};
const ramp = () => state.dark ? ramps.dark : ramps.light;
const lift = weight => state.lifted ? Math.sqrt(weight) : weight;
const colour = weight => ramp()[Math.round(255 * lift(Math.min(weight, 1)))];
const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;

// White or black letters, whichever have more contrast (WCAG's ratio of luminances).
const linear = part => part <= 10.3 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4;
function inkOn([r, g, b]) {
  const luminance = 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "#fff" : "#000";
}

const themed = name => getComputedStyle(document.documentElement).getPropertyValue(name);

function drawKey() {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map(i => css(ramp()[i]));
  at("bar").style.background = `linear-gradient(90deg, ${stops})`;
  at("ticks").replaceChildren(...[0, 0.1, 0.25, 0.5, 1].filter(w => w !== 0.1 || state.lifted)
    .map(weight => {
      const tick = document.createElement("span");
      tick.style.left = `${100 * lift(weight)}%`;
      tick.textContent = weight;
      return tick;
    }));
}

/* ---- All heads, small ---- */

const side = data.side;
const small = heads.map(head => bytesOf(head.small));
const SMALL = Math.max(34, Math.min(88, Math.floor( // a head's side on the screen, in pixels
  (innerWidth > 860 ? Math.min(720, 0.46 * innerWidth) : innerWidth - 32) - 64) / columns - 14));

function label(text, name) {
  const span = document.createElement("span");
  span.textContent = text;
  span.className = name;
  return span;
}

function makeGrid() {
  const grid = at("grid");
  grid.style.gridTemplateColumns = `auto repeat(${columns}, auto)`;
  grid.className = source ? "pair" : "";
  grid.style.setProperty("--source", `${100 * source / T}%`);
  grid.append(label("", "corner"));
  for (let h = 0; h < columns; h++)
    grid.append(label(columns > 8 ? heads[h].head : `head ${heads[h].head}`, "head"));
  heads.forEach((head, index) => {
    if (index % columns === 0) grid.append(label(`layer ${head.layer}`, "layer"));
    const button = document.createElement("button"), canvas = document.createElement("canvas");
    button.type = "button";
    button.setAttribute("aria-label", `Layer ${head.layer}, head ${head.head}`);
    button.addEventListener("click", () => choose(index));
    canvas.width = canvas.height = side;
    canvas.style.width = canvas.style.height = `${SMALL}px`;
    if (side < SMALL) canvas.style.imageRendering = "pixelated";
    button.append(canvas);
    grid.append(button);
  });
}

function drawGrid() {
  const canvases = at("grid").querySelectorAll("canvas");
  const table = ramp();
  small.forEach((bytes, index) => {
    const pen = canvases[index].getContext("2d"), image = pen.createImageData(side, side);
    for (let i = 0; i < bytes.length; i++) {
      if (bytes[i] === 255) continue; // no key to attend to: the hatching shows through
      const root = bytes[i] / 254;
      const [r, g, b] = table[Math.round(255 * (state.lifted ? root : root * root))];
      image.data.set([r, g, b, 255], 4 * i);
    }
    pen.putImageData(image, 0, 0);
  });
}

/* ---- One head, large ---- */

const scroller = at("scroller"), room = at("room"), canvas = at("large");
const pen = canvas.getContext("2d");
const LABEL = "13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', " +
  "sans-serif";
const LEGIBLE = 15; // the least height of a row whose word can be read
let place = null;   // where everything lies, in pixels; set by arrange

function cut(word, width) {
  if (pen.measureText(word).width <= width) return word;
  const letters = [...word];
  while (letters.length && pen.measureText(letters.join("") + "…").width > width) letters.pop();
  return letters.join("") + "…";
}

function arrange() {
  pen.font = "600 " + LABEL; // words are widest in bold
  const wide = scroller.clientWidth, narrow = wide < 500;
  const longest = Math.min(narrow ? 84 : 150, 4 +
    words.reduce((width, word) => Math.max(width, pen.measureText(word).width), 0));
  const beside = source ? 18 : 0; // room for "source" and "target", also below the cells
  const left = longest + 10 + beside;
  const tall = Math.max(narrow ? wide : 420, innerHeight - scroller.offsetTop - 40);
  const slanted = 0.72 * longest + 16; // height at 45 degrees; the last word leans to the right
  const fit = Math.min((wide - left - slanted * 0.75) / T, (tall - slanted - beside) / T, 68);
  const wanted = Math.max(fit, Math.min(fit * state.zoom, 48));
  const cell = wanted < 8 ? wanted : Math.floor(wanted); // whole pixels
  const turned = cell < 24; // words upright, because slanted ones would overlap
  const top = turned ? longest + 10 : slanted, right = turned ? 8 : slanted * 0.75;
  const whole = {width: left + cell * T + right, height: top + cell * T + 2 + beside};
  room.style.width = `${whole.width}px`;
  room.style.height = `${whole.height}px`;
  scroller.style.height = state.zoom > 1 ? `${Math.min(tall, whole.height + 16)}px` : "";
  const width = Math.min(whole.width, scroller.clientWidth);
  const height = Math.min(whole.height, scroller.clientHeight || whole.height);
  const ratio = devicePixelRatio || 1;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  place = {left, top, cell, turned, width, height: height - beside, ratio, longest, beside};
  at("zoom").hidden = fit >= LEGIBLE;
  draw();
}

function hatching() {
  const tile = document.createElement("canvas"), size = Math.round(6 * place.ratio);
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  ink.strokeStyle = themed("--hatch");
  ink.lineWidth = place.ratio;
  for (const x of [-size, 0, size]) {
    ink.moveTo(x, size);
    ink.lineTo(x + size, 0);
  }
  ink.stroke();
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix([1 / place.ratio, 0, 0, 1 / place.ratio, 0, 0]));
  return pattern;
}

// A head as an image with one pixel for each cell, if cells are too small to be drawn one by one.
const images = new Map();
function imageOf(index) {
  const name = [index, state.dark, state.lifted].join();
  if (!images.has(name)) {
    images.clear();
    const weights = weightsOf(index), image = new OffscreenCanvas(T, T), table = ramp();
    const brush = image.getContext("2d"), pixels = brush.createImageData(T, T);
    weights.forEach((weight, i) => {
      if (weight < 0) return;
      const [r, g, b] = table[Math.round(255 * lift(Math.min(weight / 10000, 1)))];
      pixels.data[4 * i] = r;
      pixels.data[4 * i + 1] = g;
      pixels.data[4 * i + 2] = b;
      pixels.data[4 * i + 3] = 255;
    });
    brush.putImageData(pixels, 0, 0);
    images.set(name, image);
  }
  return images.get(name);
}

function drawCells(x0, y0, range) {
  const {cell} = place, weights = weightsOf(state.head);
  const gap = cell >= 8 ? 1 : 0, page = themed("--page");
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = LABEL.replace("13px", "11px");
  for (let query = range.y0; query < range.y1; query++) {
    for (let key = range.x0; key < range.x1; key++) {
      const weight = weightAt(weights, query, key);
      if (weight < 0) continue;
      const c = colour(weight), x = x0 + key * cell, y = y0 + query * cell;
      pen.fillStyle = page;
      pen.fillRect(x, y, cell, cell);
      pen.fillStyle = css(c);
      pen.fillRect(x, y, cell - gap, cell - gap);
      if (cell < 38) continue;
      pen.fillStyle = inkOn(c);
      pen.fillText(weight.toFixed(2), x + cell / 2, y + cell / 2 + 0.5);
    }
  }
}

function drawWords(x0, y0, range) {
  const {left, top, cell, turned, width, height, longest} = place;
  const every = Math.ceil(LEGIBLE / cell), [query, key] = state.cell || [-1, -1];
  const ink = themed("--ink"), quiet = themed("--quiet"), accent = themed("--accent");
  const write = (i, read, x, y, angle, align) => {
    // The word pointed at is always written; those that would overlap it are left out.
    const near = read >= 0 && i !== read && Math.abs(i - read) * cell < LEGIBLE;
    if (near || i !== read && i % every) return;
    pen.save();
    pen.translate(x, y);
    pen.rotate(angle);
    pen.textAlign = align;
    pen.fillStyle = i === read ? accent : read < 0 ? ink : quiet;
    pen.font = i === read ? "600 " + LABEL : LABEL;
    pen.fillText(cut(words[i], longest), 0, 0);
    pen.restore();
  };
  pen.textBaseline = "middle";
  pen.save();
  pen.beginPath();
  pen.rect(0, top - 9, left, height - top + 9);
  pen.clip();
  for (let i = range.y0; i < range.y1; i++)
    write(i, query, left - 8, y0 + (i + 0.5) * cell, 0, "right");
  pen.restore();
  pen.save();
  pen.beginPath();
  pen.rect(left - 9, 0, width, top);
  pen.clip();
  for (let i = range.x0; i < range.x1; i++)
    write(i, key, x0 + (i + (turned ? 0.5 : 0.62)) * cell, top - 7,
      turned ? -Math.PI / 2 : -Math.PI / 4, "left");
  pen.restore();
}

// The lines between source and target, and the names of both, which stay in view.
function drawMarks(x0, y0) {
  const {left, top, cell, width, height, beside} = place;
  const right = Math.min(x0 + T * cell, width), bottom = Math.min(y0 + T * cell, height);
  const x = x0 + source * cell - 0.5, y = y0 + source * cell - 0.5;
  const names = (before, after, at, from, end) => { // on both sides of a line
    pen.textAlign = "right";
    if (at > from + 8) pen.fillText(before, Math.min(at, end) - 6, 0);
    pen.textAlign = "left";
    if (at < end - 8) pen.fillText(after, Math.max(at, from) + 6, 0);
  };
  pen.save();
  pen.strokeStyle = pen.fillStyle = themed("--mark");
  pen.lineWidth = 1.5;
  pen.font = LABEL.replace("13px", "12px");
  pen.textBaseline = "middle";
  pen.beginPath();
  if (x > left && x < right) {
    pen.moveTo(x, top);
    pen.lineTo(x, bottom + beside);
  }
  if (y > top && y < bottom) {
    pen.moveTo(0, y);
    pen.lineTo(right, y);
  }
  pen.stroke();
  pen.translate(0, bottom + beside / 2 + 1);
  names("source", "target", x, left, right);
  pen.translate(7, -bottom - beside / 2 - 1);
  pen.rotate(-Math.PI / 2); // along this axis the last row comes first
  names("target", "source", -y, -bottom, -top);
  pen.restore();
}

function draw() {
  if (!place) return;
  const {left, top, cell, width, height, beside, ratio} = place;
  const x0 = left - scroller.scrollLeft, y0 = top - scroller.scrollTop; // of the first cell
  const range = {
    x0: Math.max(0, Math.floor((left - x0) / cell)),
    y0: Math.max(0, Math.floor((top - y0) / cell)),
    x1: Math.min(T, Math.ceil((width - x0) / cell)),
    y1: Math.min(T, Math.ceil((height - y0) / cell)),
  };
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height + beside);
  pen.save();
  pen.beginPath();
  pen.rect(left, top, Math.min(cell * T, width - left), Math.min(cell * T, height - top));
  pen.clip();
  pen.fillStyle = hatching();
  pen.fillRect(left, top, width, height);
  if (cell >= 3) {
    drawCells(x0, y0, range);
  } else {
    pen.imageSmoothingEnabled = cell < 1;
    pen.imageSmoothingQuality = "high";
    pen.drawImage(imageOf(state.head), x0, y0, cell * T, cell * T);
  }
  if (state.cell) {
    const [query, key] = state.cell, size = Math.max(cell - (cell >= 8 ? 1 : 0), 3);
    pen.strokeStyle = themed("--ink");
    pen.lineWidth = 1.5;
    pen.strokeRect(x0 + key * cell + 0.75, y0 + query * cell + 0.75, size - 1.5, size - 1.5);
  }
  pen.restore();
  drawWords(x0, y0, range);
  if (source) drawMarks(x0, y0);
}

let waiting = false;
function drawSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

/* ---- The text beside the picture ---- */

const percent = share => `${Math.round(100 * share)}%`;

function describe() {
  const head = heads[state.head];
  at("name").textContent = `Layer ${head.layer}, head ${head.head}`;
  const means = head.summary;
  const parts = [head.pattern === "all" ? "" : head.pattern,
    `entropy ${means.entropy_bits.toFixed(2)} bits`,
    `mean distance ${means.back.toFixed(1)}`, `itself ${percent(means.itself)}`,
    means.before === null ? "" : `previous ${percent(means.before)}`,
    means.after === null ? "" : `next ${percent(means.after)}`,
    means.bos === null ? "" : `[bos] ${percent(means.bos)}`];
  at("summary").textContent = parts.filter(part => part).join("  ·  ");
  canvas.setAttribute("aria-label", `Attention of layer ${head.layer}, head ${head.head} over ` +
    `${T} tokens; ${at("summary").textContent}`);
  at("grid").querySelectorAll("button").forEach((button, index) =>
    button.setAttribute("aria-pressed", index === state.head));
  read();
}

function read() {
  const out = at("readout"), bold = text => {
    const b = document.createElement("b");
    b.textContent = text;
    return b;
  };
  if (!state.cell) {
    const quiet = document.createElement("span");
    quiet.className = "quiet";
    quiet.textContent = "Point at a cell, or tap it, to read its weight.";
    out.replaceChildren(quiet);
    return;
  }
  const [query, key] = state.cell, head = heads[state.head];
  const weight = weightAt(weightsOf(state.head), query, key);
  if (weight < 0) {
    out.replaceChildren(bold(words[query]), " cannot attend to ", bold(words[key]),
      key > query && !seesAhead(query, key) ? ": it comes later" : `: the head's pattern is ${head.pattern}`);
    return;
  }
  const number = document.createElement("span");
  number.id = "number";
  number.textContent = weight.toFixed(4);
  out.replaceChildren(bold(words[query]), query === key ? " attends to itself " : " attends to ",
    query === key ? "" : bold(words[key]), number);
}

/* ---- What the user does ---- */

function choose(index) {
  state.head = index;
  const focused = document.activeElement;
  describe();
  draw();
  const button = at("grid").querySelectorAll("button")[index];
  if (at("grid").contains(focused)) button.focus();
  button.scrollIntoView({block: "nearest", inline: "nearest"});
}

function pointAt(cell) {
  if (String(cell) === String(state.cell)) return;
  state.cell = cell;
  read();
  drawSoon();
}

function cellUnder(event) {
  const box = canvas.getBoundingClientRect(), {left, top, cell} = place;
  const x = event.clientX - box.left, y = event.clientY - box.top;
  const key = Math.floor((x - left + scroller.scrollLeft) / cell);
  const query = Math.floor((y - top + scroller.scrollTop) / cell);
  const outside = x < left || y < top || y >= place.height || key >= T || query >= T;
  return outside ? null : [query, key];
}

function zoomTo(zoom) {
  const {left, top, cell, width, height} = place;
  const x = (scroller.scrollLeft + (width - left) / 2) / cell; // keeps the middle where it is
  const y = (scroller.scrollTop + (height - top) / 2) / cell;
  state.zoom = Math.max(1, Math.min(zoom, 48 * state.zoom / cell * 1.01));
  arrange();
  scroller.scrollTo(x * place.cell - (place.width - left) / 2,
    y * place.cell - (place.height - top) / 2);
  draw();
}

function show(cell) {
  const {left, top, cell: size, width, height} = place, [query, key] = cell;
  const into = (now, at, room) => at < now ? at : at + size > now + room ? at + size - room : now;
  scroller.scrollLeft = into(scroller.scrollLeft, key * size, width - left);
  scroller.scrollTop = into(scroller.scrollTop, query * size, height - top);
}

const ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const arrow = ARROWS[event.key];
  if (arrow && event.shiftKey) {
    const [query, key] = state.cell || [-arrow[0], -arrow[1]];
    const inside = i => Math.max(0, Math.min(T - 1, i));
    pointAt([inside(query + arrow[0]), inside(key + arrow[1])]);
    show(state.cell);
  } else if (arrow) {
    const layer = Math.floor(state.head / columns) + arrow[0];
    const head = state.head % columns + arrow[1];
    if (layer >= 0 && layer * columns < heads.length && head >= 0 && head < columns)
      choose(layer * columns + head);
  } else if (at("zoom").hidden || !["+", "-", "0"].includes(event.key)) {
    return;
  } else {
    zoomTo(event.key === "+" ? state.zoom * 1.6 : event.key === "-" ? state.zoom / 1.6 : 1);
  }
  event.preventDefault();
});

canvas.addEventListener("pointermove", event => pointAt(cellUnder(event)));
canvas.addEventListener("pointerdown", event => pointAt(cellUnder(event)));
canvas.addEventListener("pointerleave", event => {
  if (event.pointerType === "mouse") pointAt(null); // after a tap the number stays
});
scroller.addEventListener("scroll", drawSoon);
addEventListener("resize", arrange);
at("larger").addEventListener("click", () => zoomTo(state.zoom * 1.6));
at("smaller").addEventListener("click", () => zoomTo(state.zoom / 1.6));
at("fit").addEventListener("click", () => zoomTo(1));

function recolour() {
  document.documentElement.dataset.theme = state.dark ? "dark" : "light";
  at("theme").textContent = state.dark ? "light" : "dark";
  at("theme").setAttribute("aria-label", `switch to ${state.dark ? "light" : "dark"} colours`);
  at("scale").setAttribute("aria-pressed", state.lifted);
  drawKey();
  drawGrid();
  draw();
}

at("scale").addEventListener("click", () => {
  state.lifted = !state.lifted;
  recolour();
});
at("theme").addEventListener("click", () => {
  state.dark = !state.dark;
  recolour();
});

const darkness = matchMedia("(prefers-color-scheme: dark)");
state.dark = darkness.matches;
darkness.addEventListener("change", () => {
  state.dark = darkness.matches;
  recolour();
});

const shape = `${heads.length / columns} × ${columns} heads · ${T} token${T === 1 ? "" : "s"}`;
at("run").textContent = `${data.run} · ${shape}`;
at("text").textContent = data.text;
at("special").textContent = [
  words[0] === "[bos]" && "[bos] marks the beginning of the line.",
  source && "[sep] stands between source and target.",
  data.prefix && `The words of the ${source ? "source" : "line"} also attend to later ones.`,
  data.prefix && words.includes("[mask]") && "[mask] stands for a word that is hidden from the model.",
].filter(Boolean).join(" ");
at("text").className = data.text.length > 120 ? "long" : "";
document.title = `${data.text.slice(0, 80)} – attention in ${data.run}`;
makeGrid();
recolour();
describe();
arrange();

// training.js: the losses over the steps of the training, from the run's log. A slider goes along
// the steps and shows the numbers of each.

const log = data.log;
const STEP = 0, LOSS = 1, EVALUATED = 2, RATE = 3; // the members of a row
const curve = at("curve");
const THUMB = 16; // the width of a slider's thumb

// Round numbers from 0 or `least` up to `most`, about `count` of them.
function ticks(least, most, count) {
  const rough = (most - least) / count, ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * ten).find(n => n >= rough), found = [];
  for (let n = Math.ceil(least / step) * step; n <= most + step * 1e-6; n += step) found.push(n);
  return {found, places: Math.max(0, -Math.floor(Math.log10(step) + 1e-9))};
}

// The names of the two losses and the floor.
const lossNames = () =>
  [say("each_step"), say(data.held_out ? "held_out" : "all_text"), say("floor")];

// The room of the curves within a picture, and where in it a step and a loss are.
function scaleOf(width, height) {
  const unit = rem(), pen = curve.getContext("2d");
  pen.font = font(0.8);
  const longest = Math.max(...lossNames().map(name => pen.measureText(name).width));
  const left = 2.6 * unit, right = width - longest - 0.6 * unit;
  const top = 0.8 * unit, bottom = height - 1.9 * unit;
  const losses = log.flatMap(row => [row[LOSS], row[EVALUATED]]).filter(value => value !== null);
  const least = Math.min(...losses, data.floor ?? Infinity) * 0.92, most = Math.max(...losses);
  const last = log[log.length - 1][STEP] || 1;
  return {
    left, right, top, bottom, least, most, last,
    x: step => left + (right - left) * step / last,
    y: loss => bottom - (bottom - top) * (loss - least) / (most - least || 1),
  };
}

function drawCurve(pen, width, height) {
  const scale = scaleOf(width, height), {x, top, bottom} = scale;
  pen.font = font(0.8);
  pen.textBaseline = "middle";
  drawTicks(pen, scale);
  drawRate(pen, scale);
  drawNames(pen, scale, drawLosses(pen, scale));
  const now = x(log[at("moment").value][STEP]);
  line(pen, [[now, top], [now, bottom]], themed("--ink"), 1);
}

function drawTicks(pen, {left, right, bottom, least, most, last, x, y}) {
  const unit = rem(), losses = ticks(least, most, 4), steps = ticks(0, last, 4);
  for (const loss of losses.found) {
    line(pen, [[left, y(loss)], [right, y(loss)]], themed("--line"), 1);
    text(pen, decimal(loss, losses.places), left - 0.5 * unit, y(loss), "right", themed("--quiet"));
  }
  for (const step of steps.found)
    text(pen, step.toLocaleString("en"), x(step), bottom + unit, "center", themed("--quiet"));
}

// The learning rate, as a shape on the ground.
function drawRate(pen, {left, right, top, bottom, x}) {
  const most = Math.max(...log.map(row => row[RATE] || 0));
  if (!most) return;
  pen.beginPath();
  pen.moveTo(left, bottom);
  for (const row of log)
    pen.lineTo(x(row[STEP]), bottom - 0.22 * (bottom - top) * (row[RATE] || 0) / most);
  pen.lineTo(right, bottom);
  pen.fillStyle = themed("--line");
  pen.fill();
}

// The losses and the floor. Returns [height of its end, name, colour] of each line.
function drawLosses(pen, {left, right, x, y}) {
  const names = [], [loss, evaluated, floor] = lossNames();
  const along = (column, colour, thick, name) => {
    const points =
      log.filter(row => row[column] !== null).map(row => [x(row[STEP]), y(row[column])]);
    if (!points.length) return;
    line(pen, points, colour, thick);
    names.push([points[points.length - 1][1], name, colour]);
  };
  along(LOSS, themed("--accent"), 1.5, loss);
  along(EVALUATED, themed("--query"), 2.5, evaluated);
  if (data.floor !== null) {
    pen.setLineDash([4, 4]);
    line(pen, [[left, y(data.floor)], [right, y(data.floor)]], themed("--ink"), 1.5);
    pen.setLineDash([]);
    names.push([y(data.floor), floor, themed("--ink")]);
  }
  return names;
}

// Names at the ends of the lines; those that would overlap go up.
function drawNames(pen, {right, bottom}, names) {
  const unit = rem();
  let free = bottom + 0.4 * unit;
  for (const [end, name, colour] of names.sort((a, b) => b[0] - a[0])) {
    free = Math.min(end, free);
    text(pen, name, right + 0.5 * unit, free, "left", colour);
    free -= 1.05 * unit;
  }
}

function text(pen, words, x, y, align, colour) {
  pen.textAlign = align;
  pen.fillStyle = colour;
  pen.fillText(words, x, y);
}

// The numbers of a step, and the picture with a line at it.
function showMoment() {
  const row = log[at("moment").value],
        parts = [say("at_step", {n: row[STEP].toLocaleString("en")})];
  const values = [row[LOSS], row[EVALUATED], data.floor];
  lossNames().forEach((name, i) => {
    if (values[i] !== null) parts.push(`${name} ${decimal(values[i], 4)}`);
  });
  if (row[RATE]) parts.push(`${say("rate")} ${row[RATE].toExponential(2)}`);
  at("values").replaceChildren(...listed(parts));
  at("moment").setAttribute("aria-valuetext", at("values").textContent);
  const width = curve.parentElement.clientWidth -
    2 * parseFloat(getComputedStyle(curve.parentElement).paddingLeft);
  const height = Math.min(Math.max(width * 0.32, 11 * rem()), 22 * rem());
  drawCurve(penOn(curve, width, height), width, height);
  const {left, right} = scaleOf(width, height); // the slider's thumb is below the line
  at("moment").style.marginLeft = `${left - THUMB / 2}px`;
  at("moment").style.width = `${right - left + THUMB}px`;
  curve.setAttribute("aria-label", `${say("training")}. ${at("values").textContent}`);
}

if (log.length > 1) {
  at("training").hidden = false;
  at("moment").max = log.length - 1;
  at("moment").value = log.length - 1;
  at("moment").addEventListener("input", showMoment);
  curve.addEventListener("pointermove", event => {
    const box = curve.getBoundingClientRect();
    const {left, right, last} = scaleOf(box.width, box.height);
    const step = (event.clientX - box.left - left) / (right - left) * last;
    let best = 0;
    log.forEach((row, i) => {
      if (Math.abs(row[STEP] - step) < Math.abs(log[best][STEP] - step)) best = i;
    });
    at("moment").value = best;
    showMoment();
  });
  views.push({paint: showMoment}); // see state.js
}

// training.js: the losses over the steps of the training, from the run's log. A slider goes along
// the steps and shows the numbers of each.

const log = data.log;
const STEP = 0, LOSS = 1, EVALUATED = 2, RATE = 3; // the members of a row
const curve = at("curve");
const THUMB = 16; // the width of a slider's thumb

// 1, 2 and 5 times powers of ten; only these powers if there would be many.
function logTicks(least, most) {
  const within = n => n >= least && n <= most, found = [];
  for (let ten = 10 ** Math.floor(Math.log10(least)); ten <= most; ten *= 10)
    found.push(ten, 2 * ten, 5 * ten);
  const all = found.filter(within);
  return {found: all.length > 7 ? all.filter((n, i) => found.indexOf(n) % 3 === 0) : all};
}

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
  const left = 3.4 * unit, right = width - longest - 0.6 * unit;
  const top = 0.8 * unit, bottom = height - 4.9 * unit;
  const losses = log.flatMap(row => [row[LOSS], row[EVALUATED]]).filter(value => value !== null);
  const low = Math.max(Math.min(...losses), 1e-7), most = Math.max(...losses) * 1.03;
  const floor = data.floor ?? Infinity, log10 = most >= 10 * low; // as in training/report/curve.c
  const least = 0.92 * (floor < low && (!log10 || floor >= low / 10) ? floor : low);
  const risen = loss => log10 ? Math.log(Math.max(loss, least)) : loss;
  const last = log[log.length - 1][STEP] || 1;
  return {
    left, right, top, bottom, least, most, last, log10,
    x: step => left + (right - left) * step / last,
    y: loss => bottom - (bottom - top) * (risen(loss) - risen(least)) /
      (risen(most) - risen(least) || 1),
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

function drawTicks(pen, {left, right, bottom, least, most, last, log10, x, y}) {
  const unit = rem(), steps = ticks(0, last, 4);
  const losses = log10 ? logTicks(least, most) : ticks(least, most, 4);
  for (const loss of losses.found) {
    const name = log10 ? String(Number(loss.toPrecision(1))) : decimal(loss, losses.places);
    line(pen, [[left, y(loss)], [right, y(loss)]], themed("--line"), 1);
    text(pen, name, left - 0.5 * unit, y(loss), "right", themed("--quiet"));
  }
  for (const step of steps.found)
    text(pen, grouped(step), x(step), bottom + 4 * unit, "center", themed("--quiet"));
}

// The learning rate, below the losses, from 0 to its largest value, which is named on the left.
function drawRate(pen, {left, right, bottom, x}) {
  const most = Math.max(...log.map(row => row[RATE] || 0));
  if (!most) return;
  const unit = rem(), ground = bottom + 3.2 * unit, y = rate => ground - 1.8 * unit * rate / most;
  line(pen, [[left, ground], [right, ground]], themed("--line"), 1);
  line(pen, log.map(row => [x(row[STEP]), y(row[RATE] || 0)]), themed("--quiet"), 1.5);
  text(pen, String(Number(most.toPrecision(2))), left - 0.3 * unit, y(most), "right",
    themed("--quiet"));
  text(pen, say("rate"), right + 0.5 * unit, y(most / 2), "left", themed("--quiet"));
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
        parts = [say("at_step", {n: grouped(row[STEP])})];
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

function showTraining() {
  at("training").hidden = log.length < 2;
  at("moment").max = at("moment").value = log.length - 1;
}

if (data.model || log.length > 1) {
  showTraining();
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
  views.push({paint() { if (log.length > 1) showMoment(); }}); // see state.js
}

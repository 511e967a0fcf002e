// vocabulary.js: all tokens as points on a map, coloured by how often the text has them; and the
// nearest ones of the token that is looked at: of the chosen word, or of one that is pointed at.

const MOST_NEAR = 10, MOST_LABELS = 3000; // labels: of the most frequent tokens, where they fit
const MAP = {canvas: at("map").firstElementChild};
let pinned = -1, hovered = -1; // tokens, or -1: none

const chosenToken = () => reading.ids[state.word];
const lookedToken = () => hovered >= 0 ? hovered : pinned >= 0 ? pinned : chosenToken();

/* ---- What does not change, or only with the weights ---- */

// How often the text has each token; null if the page has no text.
const frequencies = counts && (() => {
  const times = new Uint32Array(tokenizer.size);
  for (const id of counts.ids) times[id]++;
  return times;
})();

// The most frequent first; without a text, in the order of their ids.
const byFrequency = tokenizer ? [...tokenizer.tokens.keys()].sort((a, b) =>
  (frequencies ? frequencies[b] - frequencies[a] : 0) || a - b) : [];

// The colour of a token: of the ramp, on a logarithmic scale, without its palest part.
const ofRamp = share => css(ramp()[Math.round(255 * (0.3 + 0.7 * share))]);
function tokenColour(id) {
  if (!frequencies) return themed("--quiet");
  return ofRamp(Math.log1p(frequencies[id]) / Math.log1p(frequencies[byFrequency[0]]));
}

// The points of these weights. They take a while: they are computed if the map is on the screen.
function computeMap() {
  if (MAP.model === model) return;
  const alike = new Alike(model);
  Object.assign(MAP, {model, alike, ...alike.plane()});
}

/* ---- The map ---- */

// Where the points are on the canvas, {x, y}, and its height: both directions have the same scale.
function placePoints(width) {
  const {points} = MAP, margin = 1.2 * rem(), count = points.length / 2;
  const range = axis => {
    const along = points.filter((_, i) => i % 2 === axis);
    return [Math.min, Math.max].map(of => along.reduce((a, b) => of(a, b)));
  };
  const [left, right] = range(0), [low, high] = range(1);
  const most = 28 * rem(), wide = width - 2 * margin;
  const scale = Math.min(wide / (right - left || 1), (most - 2 * margin) / (high - low || 1));
  const height = Math.max(14 * rem(), scale * (high - low) + 2 * margin);
  Object.assign(MAP, {width, height});
  MAP.places = Array.from({length: count}, (_, id) => ({
    x: width / 2 + (points[2 * id] - (left + right) / 2) * scale,
    y: height / 2 - (points[2 * id + 1] - (low + high) / 2) * scale}));
}

// Writes the words beside their points, each where no earlier one stands; first the token that is
// looked at and those near to it.
function drawLabels(pen, width, looked, near) {
  const size = 0.86 * rem(), taken = [], first = [looked, ...near];
  const write = (id, colour, weight) => {
    const {x, y} = MAP.places[id], word = cut(pen, tokenizer.shown(id), 10 * rem());
    pen.font = font(0.86, weight);
    const wide = pen.measureText(word).width, from = x + 5 + wide > width ? x - 5 - wide : x + 5;
    const box = [from - 1, y - size / 2, from + wide + 1, y + size / 2];
    const meets = other =>
      box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3];
    if (taken.some(meets)) return;
    taken.push(box);
    pen.fillStyle = colour;
    pen.strokeText(word, from, y); // an edge in the colour of the card
    pen.fillText(word, from, y);
  };
  Object.assign(pen, {strokeStyle: themed("--card"), lineWidth: 3, lineJoin: "round"});
  first.forEach((id, i) => write(id, themed(i ? "--accent" : "--query"), 650));
  const quiet = themed("--quiet");
  for (const id of byFrequency.slice(0, MOST_LABELS))
    if (!first.includes(id)) write(id, quiet, 400);
}

function drawMap() {
  const {width, height} = MAP, pen = penOn(MAP.canvas, width, height);
  const looked = lookedToken(), from = MAP.places[looked];
  const near = MAP.near.filter(one => one.cosine > 0).map(one => one.id);
  pen.textBaseline = "middle";
  for (let i = byFrequency.length - 1; i >= 0; i--) { // the most frequent ones on top
    const id = byFrequency[i], {x, y} = MAP.places[id];
    pen.fillStyle = tokenColour(id);
    pen.fillRect(x - 2.5, y - 2.5, 5, 5);
  }
  pen.globalAlpha = 0.5;
  for (const id of near)
    line(pen, [[from.x, from.y], [MAP.places[id].x, MAP.places[id].y]], themed("--accent"), 1);
  pen.globalAlpha = 1;
  pen.fillStyle = themed("--query");
  pen.fillRect(from.x - 4, from.y - 4, 8, 8);
  drawLabels(pen, width, looked, near);
}

/* ---- The token that is looked at ---- */

function nearButton({id, cosine}) {
  const word = tokenizer.shown(id), number = decimal(cosine, 3);
  return make("li", makeButton([
    make("span", word, {className: "word"}), make("span", number, {className: "share"}),
    make("span", frequencies ? grouped(frequencies[id]) : "", {className: "count"}),
  ], () => pinToken(id), {aria: {label: `${word}, ${say("near_cosine", {n: number})}`}}));
}

function fillNear() {
  const id = lookedToken(), list = at("near"), within = list.contains(document.activeElement);
  MAP.near = MAP.alike.nearest(id, MOST_NEAR);
  at("near-word").textContent = [tokenizer.shown(id),
    ...frequencies ? [say("in_text", {n: grouped(frequencies[id])})] : []].join(" · ");
  list.replaceChildren(...MAP.near.map(nearButton));
  if (within) list.querySelector("button").focus();
}

function pinToken(id) {
  [pinned, hovered, MAP.chosen] = [id, -1, chosenToken()];
  lookAgain();
}

const lookAgain = soon(() => {
  fillNear();
  drawMap();
});

function hover(id) {
  if (id === hovered) return;
  hovered = id;
  lookAgain();
}

// The token whose point is nearest to the pointer, or -1.
function tokenUnder(event) {
  const box = MAP.canvas.getBoundingClientRect(), most = 1.5 * rem();
  const x = event.clientX - box.left, y = event.clientY - box.top;
  let best = -1, least = most * most;
  MAP.places.forEach((place, id) => {
    const far = (place.x - x) ** 2 + (place.y - y) ** 2;
    if (far < least) [best, least] = [id, far];
  });
  return best;
}

function mapKey(event) {
  const arrow = arrowOf(event);
  if (!arrow && event.key !== "Escape") return;
  event.preventDefault();
  pinToken(arrow ? ahead(MAP.places, lookedToken(), arrow) : -1);
}

/* ---- When it is shown ---- */

// Draws everything, if it is on the screen.
const showMap = soon(() => {
  const width = at("map").clientWidth;
  if (!MAP.seen || !width) return;
  computeMap();
  placePoints(width);
  at("about-map").textContent =
    say("about_map", {width: data.model.width, share: percent(MAP.share)});
  at("frequency").hidden = !frequencies;
  at("frequency-bar").style.background =
    `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(ofRamp).join()})`;
  fillNear();
  drawMap();
});

if (data.model) {
  at("vocabulary").hidden = false;
  const drawn = heard => event => MAP.places && heard(event); // before, there are no points
  at("map").addEventListener("keydown", drawn(mapKey));
  MAP.canvas.addEventListener("pointermove", drawn(event => hover(tokenUnder(event))));
  MAP.canvas.addEventListener("pointerleave", drawn(() => hover(-1)));
  MAP.canvas.addEventListener("click", drawn(event => pinToken(tokenUnder(event))));
  new IntersectionObserver(([entry]) => {
    MAP.seen = entry.isIntersecting;
    showMap();
  }).observe(at("vocabulary"));
  const another = () => { // if another word is chosen, it is looked at
    if (MAP.chosen !== chosenToken()) pinned = -1;
    showMap();
  };
  views.push({read: another, choose: another, model: showMap, fit: showMap, paint: showMap});
}

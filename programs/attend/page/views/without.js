// without.js: switches heads and layers off, and says how well the model predicts the text without
// them. What is off adds nothing to the stream; see gpt.js.

const MOST_GAPS = 64; // tokens of a line that are masked one by one to compute its loss

const {off} = data.model || {off: []}; // the names of heads and layers, as --without has them
const nameOf = index => `L${data.heads[index].layer}H${data.heads[index].head}`;
const layerOf = index => `L${data.heads[index].layer}`;
const isOff = index => off.includes(nameOf(index)) || off.includes(layerOf(index));

// The heads of the whole model but for one.
function othersThan(name) {
  return data.model.patterns.flatMap((heads, layer) =>
    heads.map((pattern, head) => `L${layer + 1}H${head + 1}`)).filter(other => other !== name);
}

// The page reads the text again without these.
function switchOff(names) {
  off.splice(0, Infinity, ...names);
  model.last = null; // what it has computed is of other heads
  reading = new LiveReading(model, tokenizer, reading);
  beginDraws();
  tell("read");
}

function toggle(name) {
  switchOff(off.includes(name) ? off.filter(other => other !== name) : [...off, name]);
}

/* ---- The loss ---- */

// −ln p of each token that a model predicts in a text.
function surprises(network, {ids, prefix}, result) {
  const surprise = (kept, i, id) => -Math.log(softmax(kept.logitsAt(i))[id]);
  if (!fillsGaps()) {
    const first = tokenizer.objective === "pairs" ? ids.indexOf(tokenizer.sep) : 0;
    return ids.slice(1).map((id, i) => [i, id]).filter(([i]) => first >= 0 && i >= first)
      .map(([i, id]) => surprise(result, i, id));
  }
  const known = [tokenizer.bos, tokenizer.eos, tokenizer.mask];
  const places = ids.length > MOST_GAPS ? [] : [...ids.keys()].filter(i => !known.includes(ids[i]));
  return places.map(i => surprise(network.read(
    ids.map((id, j) => j === i ? tokenizer.mask : id), prefix), i, ids[i]));
}

// Their mean, if some of the heads are off; null if the model predicts nothing there.
function lossWithout(names) {
  const network = Object.assign(Object.create(model), {off: names, last: null});
  const result = names === off ? reading.result : network.read(reading.ids, reading.prefix);
  const all = surprises(network, reading, result);
  return all.length ? all.reduce((sum, one) => sum + one, 0) / all.length : null;
}

// Of a line with gaps only if something is off: each of its tokens is read once more.
function describeLoss() {
  const loss = fillsGaps() && !off.length ? null : lossWithout(off);
  const n = loss === null ? "" : decimal(loss, 4);
  at("loss").textContent = loss === null ? "" : !off.length ? say("loss", {n})
    : say("loss_without", {n, all: decimal(lossWithout([]), 4), off: off.join(", ")});
}

/* ---- The buttons ---- */

function nameSwitches() {
  const {head} = state, name = nameOf(head), layer = layerOf(head);
  at("off-head").textContent = name;
  at("off-head").setAttribute("aria-label", headName(head));
  at("off-head").setAttribute("aria-pressed", off.includes(name));
  at("off-layer").textContent = layer;
  at("off-layer").setAttribute("aria-label", say("layer", {layer: data.heads[head].layer}));
  at("off-layer").setAttribute("aria-pressed", off.includes(layer));
  at("off-others").textContent = say("off_others", {name});
  at("all-on").disabled = !off.length;
}

if (data.model) {
  at("switches").hidden = at("loss").hidden = false;
  at("off-head").addEventListener("click", () => toggle(nameOf(state.head)));
  at("off-layer").addEventListener("click", () => toggle(layerOf(state.head)));
  at("off-others").addEventListener("click", () => switchOff(othersThan(nameOf(state.head))));
  at("all-on").addEventListener("click", () => switchOff([]));
  const read = () => {
    nameSwitches();
    describeLoss();
  };
  views.push({read, mix: describeLoss, choose: nameSwitches, paint: read}); // see state.js
}

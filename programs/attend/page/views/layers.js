// layers.js: what the model would expect if it had only its first layers: its end, the last norm
// and the scores of all tokens, comes directly after each of them.

const LENS_WORDS = 3;

function lensRow(blocks) {
  const p = softmax(reading.result.logitsAt(state.word, blocks));
  const words = ranked(p).slice(0, LENS_WORDS).map(id => {
    const part = make("td", p[id] < 0.005 ? "" : [
      make("span", tokenizer.shown(id), {className: "word"}),
      make("span", probability(p[id]), {className: "share"})
    ]);
    const c = colour(p[id]);
    part.style.background = css(c);
    part.style.color = inkOn(c);
    return part;
  });
  const name = blocks ? say("lens_layer", {layer: blocks}) : say("lens_none");
  return make("tr", [make("th", name, {scope: "row"}), ...words]);
}

function fillLens() {
  const rows = [];
  for (let blocks = 0; blocks <= data.model.layers; blocks++) rows.push(lensRow(blocks));
  at("layers").replaceChildren(
    make("table", make("tbody", rows), {aria: {labelledby: "lens-title"}}));
}

if (data.model) {
  at("lens").hidden = false;
  views.push({read: fillLens, choose: fillLens, mix: fillLens, paint: fillLens}); // see state.js
}

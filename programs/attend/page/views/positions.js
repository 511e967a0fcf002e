// positions.js: the cosine of every pair of position vectors. Places that are near each other have
// vectors that are alike; how far that reaches is what the model knows of order. Of rotary positions
// it is the mean cosine of the angles between two places.

const MOST_PLACES = 64;
let cosines = null;

function positionsTable() {
  const count = Math.min(data.model.context, MOST_PLACES);
  const places = Array.from({length: count}, (_, i) => String(i + 1));
  let cell = {row: -1, column: -1};
  const look = next => {
    cell = next || {row: -1, column: -1};
    at("cosine").textContent = cell.row < 0 ? say("point_cosine") : say("cosine",
      {a: cell.row + 1, b: cell.column + 1, n: decimal(model.cosine(cell.row, cell.column), 4)});
    if (cosines) cosines.draw();
  };
  at("cosines").replaceChildren();
  cosines = new Table(at("cosines"), {
    label: say("places"), rows: () => places, columns: () => places,
    value: (a, b) => model.cosine(a, b), least: -2,
    colour: divergingColour, square: true,
    looked: () => cell, point: look, pin: look,
  });
  look(null);
  const hint = say(data.model.positions === "rotary" ? "hint_rotary" : "hint_positions");
  at("positions-hint").textContent = hint;
  cosines.canvas.setAttribute("aria-label", hint);
  cosines.arrange(Math.min(at("cosines").clientWidth, 22 * rem()));
}

if (data.model) {
  at("positions").hidden = false;
  views.push({model: positionsTable, paint: positionsTable}); // see state.js
}

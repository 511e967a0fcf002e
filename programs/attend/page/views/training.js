// training.js: the losses over the steps of the training, from the run's log.

const curve = new Curve(at("curve"), at("moment"), at("values"));
curve.runs = [data];

if (data.log.length > 1) {
  at("training").hidden = false;
  curve.toEnd();
  views.push({paint() { curve.show(); }}); // see state.js
}

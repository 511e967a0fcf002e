// checkpoints.js: how the model came to be. If the run kept checkpoints, a slider goes from one to
// the next, and the page reads the text again with the weights that the model had then.

const saves = document.getElementsByClassName("checkpoint");
const ages = data.checkpoints; // their steps; the weights of the page come after the last

function showAge() {
  const index = Number(at("age").value), last = index === ages.length;
  at("age-step").textContent =
    last ? say("at_end") : say("at_step", {n: grouped(ages[index])});
  at("age").setAttribute("aria-valuetext", at("age-step").textContent);
}

// The page reads again with other weights what it read; what is being typed stays in the box, and
// what is being written goes on.
function takeWeights(numbers) {
  model = modelOf(numbers);
  reading = new LiveReading(model, tokenizer, reading);
  if (!writing) beginDraws();
  tell("read", "choose", "model");
}

if (ages.length) {
  at("ages").hidden = false;
  at("age").max = ages.length;
  at("age").value = ages.length;
  at("age").addEventListener("input", () => {
    showAge();
    const block = saves[at("age").value] || at("weights");
    takeWeights(floatsOf(block.textContent));
  });
  views.push({paint: showAge}); // see state.js
}

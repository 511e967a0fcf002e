// eight.js: continues the text eight times at once, as ./sample --count 8 does, and marks what the
// training text has word for word.

const MOST_TOKENS = {word: 50, char: 300, bpe: 100}; // as in programs/answer/answer.c
let lines = [];   // {text, times, inText}, in the order in which they were drawn
let drawing = 0;  // the number of the last eight: earlier ones are given up

// The tokens of a continuation, with those that it continues. Now and then others have a turn.
async function continuation(number, mine) {
  const writer = new Writer(model, tokenizer, reading.ids, reading.prefix), by = draws();
  const ids = [...reading.ids], from = ids.length, pairs = tokenizer.objective === "pairs";
  while (ids.length - from < MOST_TOKENS[tokenizer.kind] && ids[ids.length - 1] !== tokenizer.eos &&
    !(pairs && ids.length > model.context)) {
    if (ids.length % 8 === 0) await new Promise(done => setTimeout(done));
    if (mine !== drawing) break;
    if (ids.length > from) writer.add(ids[ids.length - 1]);
    ids.push(by.next(writer.logits, ids.length - from, number));
  }
  return ids;
}

// The text has a source only if a line begins with it, so [bos] is looked for in pairs only.
function isInText(ids) {
  const begun = ids[0] === tokenizer.bos && tokenizer.objective !== "pairs";
  return counts ? counts.has(ids.slice(begun ? 1 : 0)) : null;
}

async function writeEight() {
  forgetLines();
  const mine = drawing;
  for (let number = 0; number < 8; number++) {
    const ids = await continuation(number, mine);
    if (mine !== drawing) return;
    const ended = ids[ids.length - 1] === tokenizer.eos;
    const text = toLine(tokenizer.decode(ids)) + (ended ? "" : " …");
    const same = lines.find(line => line.text === text);
    if (same) same.times++;
    else lines.push({text, times: 1, inText: isInText(ids)});
    showLines();
  }
}

function forgetLines() {
  drawing++;
  lines = [];
  showLines();
}

const showLines = () => at("written").replaceChildren(...lineItems(lines));

if (data.model) {
  at("eight").hidden = fillsGaps();
  at("eight").addEventListener("click", writeEight);
  for (const how of ["seed", "sliders"]) at(how).addEventListener("input", forgetLines);
  views.push({ // see state.js
    read: forgetLines, model: forgetLines, mix: forgetLines, paint: showLines});
}

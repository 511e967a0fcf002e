// figures.js: a card of the lab's lesson has the page read a text, and then asks it for a figure.

// Sets what a card needs: what the page reads, the place of the word that is chosen, the head, and
// what is off. Words are drawn as at first.
function readFor({ask, reads, at: word, off: without}) {
  Object.assign(state, {temperature: 1, topK: 0, topP: 1});
  at("seed").value = 1;
  off.splice(0, Infinity, ...without ? without.split(",") : []);
  model.last = null; // what it has computed is of other heads
  if (reads) at("typed").value = reads;
  readTyped();
  if (word) state.word = Number(word);
  const head = data.heads.findIndex((_, index) => ask.includes(` ${nameOf(index)}`));
  if (head >= 0) setHead(head);
  repaint();
}

const expectedNext = () => draws().probabilities(reading.result.logitsAt(state.word));
const rowOf = name => { // of the word that is chosen, in a head
  const head = data.heads.findIndex((_, index) => nameOf(index) === name), {T} = reading;
  return reading.weights(head).subarray(state.word * T, (state.word + 1) * T);
};

const FIGURES = {
  // How often the training text goes on with a word, the model's share of it, its likeliest word.
  text(word) {
    const {times, total} = counts.after(reading.ids.slice(0, state.word + 1));
    return (times.get(tokenizer.ids.get(word)) || 0) / total;
  },
  p: word => expectedNext()[tokenizer.ids.get(word)],
  word: () => tokenizer.shown(ranked(expectedNext())[0]),
  // The place of the word that a head looks at most; how much it looks at a word.
  cell: name => rowOf(name).reduce((best, weight, i, row) => weight > row[best] ? i : best, 0),
  weight: (name, word) => rowOf(name)[reading.words.indexOf(word)],
  // The head without which the loss is highest.
  head: (...names) => names.reduce((worst, name) =>
    lossWithout([name]) > lossWithout([worst]) ? name : worst),
  // Eight continuations, of which the new ones are counted.
  new: () => writeEight().then(() => lines),
  cosine: distance => model.cosine(0, Number(distance)),
};

function figureOf(asked) {
  const [kind, ...words] = asked.split(" ");
  return FIGURES[kind](...words);
}

// data.js: the data that attend wrote, and what the user has chosen of it.

const data = JSON.parse(at("data").textContent);

Object.assign(state, {
  language: data.language === "es" ? "es" : "en",
  lifted: false,     // colour by the root of the weight
  surprise: false,   // shade the words of the text by their surprise
  head: 0,           // an index into data.heads
  other: -1,         // the head beside it; -1: none
  form: "matrix",    // or "arcs" or "across"
  order: "by_layer", // of the small heads
  word: 0,           // the word that is chosen: an index into reading.words
  key: -1,           // the word it is seen with, if a cell is pinned
  over: null,        // {query, key} under the pointer
  zoom: 1,
  temperature: 1,
  topK: 0,           // 0: all
  topP: 1,
});

// The cell that is looked at: the one under the pointer, else the one pinned.
const looked = () => state.over || {query: state.word, key: state.key};

// state.js: the data that attend wrote, what the user has chosen, and how the views hear of it.

const at = id => document.getElementById(id);
const data = JSON.parse(at("data").textContent);

const state = {
  language: data.language === "es" ? "es" : "en",
  dark: false,
  lifted: false,     // colour by the root of the weight
  head: 0,           // an index into data.heads
  other: -1,         // the head beside it; -1: none
  form: "matrix",    // or "arcs" or "across"
  order: "by_layer", // of the small heads
  word: 0,           // the word that is chosen: an index into reading.words
  key: -1,           // the word it is seen with, if a cell is pinned
  over: null,        // {query, key} under the pointer
  zoom: 1,
  projector: false,
  temperature: 1,
  topK: 0,           // 0: all
  topP: 1,
};

// A part of the page adds itself to the views: views.push({read, choose}). Each of its methods is
// called after what it is named for. read: another text; choose: another head, word or form; model:
// another checkpoint; point: another cell under the pointer; fit: a window of another size; paint:
// other colours or another language.
const views = [];
function tell(...news) {
  for (const view of views)
    for (const what of news)
      if (view[what]) {
        view[what]();
        break; // each of them draws everything that the later ones would
      }
}

// The cell that is looked at: the one under the pointer, else the one pinned.
const looked = () => state.over || {query: state.word, key: state.key};

// state.js: what the user has chosen, and how the parts of a page hear of it.

const at = id => document.getElementById(id);

const state = {
  language: "en",
  dark: false,
  projector: false,
  details: true, // or plain words only, in the lab at first
};

// A part of the page adds itself to the views: views.push({read, choose}). Each of its methods is
// called after what it is named for. read: another text; choose: another head, word or form; model:
// other weights; mix: another share of counting; point: another cell under the pointer; fit: a
// window of another size; paint: other colours or another language.
const views = [];
function tell(...news) {
  for (const view of views)
    for (const what of news)
      if (view[what]) {
        view[what]();
        break; // each of them draws everything that the later ones would
      }
}

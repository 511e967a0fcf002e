// controls.js: the buttons at the head of a page: large letters for a projector, language, colours.

function repaint() {
  document.documentElement.dataset.theme = state.dark ? "dark" : "light";
  sayAll();
  at("theme").textContent = say(state.dark ? "light" : "dark");
  at("theme").setAttribute("aria-label", say(state.dark ? "to_light" : "to_dark"));
  at("language").textContent = say("other_language");
  at("language").lang = state.language === "en" ? "es" : "en";
  tell("paint");
}

// On a projector only what all must see stays, so large that they can read it.
function project(projector) {
  state.projector = projector;
  document.documentElement.classList.toggle("projector", projector);
  at("projector").setAttribute("aria-pressed", projector);
}

at("projector").addEventListener("click", () => {
  project(!state.projector);
  tell("fit", "paint");
});
for (const [id, change] of [["theme", () => state.dark = !state.dark],
  ["details", () => state.details = !state.details], // in the lab
  ["language", () => state.language = state.language === "en" ? "es" : "en"]])
  at(id)?.addEventListener("click", () => {
    change();
    repaint();
  });
const darkness = matchMedia("(prefers-color-scheme: dark)");
state.dark = darkness.matches;
darkness.addEventListener("change", () => {
  state.dark = darkness.matches;
  repaint();
});
addEventListener("resize", soon(() => tell("fit", "paint")));

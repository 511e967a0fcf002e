// colours.js: the colours of weights, and ink that can be read on them. The ramps come from the
// program, so that page, figure and terminal agree.

const rampOf = hex => Array.from({length: 256}, (_, i) =>
  [0, 2, 4].map(d => parseInt(hex.slice(6 * i + d, 6 * i + d + 2), 16)));
const ramps = {light: rampOf(data.light), dark: rampOf(data.dark)};
const ramp = () => state.dark ? ramps.dark : ramps.light;
const lift = weight => state.lifted ? Math.sqrt(weight) : weight;
const colour = weight => ramp()[Math.round(255 * lift(Math.min(weight, 1)))];
// The colour of a surprise in bits, up to that of a word drawn at random.
const mostBits = () => Math.log2(tokenizer.size);
const colourOfBits = bits => ramp()[Math.round(255 * Math.min(bits / mostBits(), 1))];
const css = ([r, g, b]) => `rgb(${r}, ${g}, ${b})`;

// White or black letters, whichever have more contrast (WCAG's ratio of luminances).
const partOf = part => part <= 10.3 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4;
function inkOn([r, g, b]) {
  const luminance = 0.2126 * partOf(r) + 0.7152 * partOf(g) + 0.0722 * partOf(b);
  return 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

// A cosine from −1 to 1: orange, the ground, blue. The two can be told apart by people who do not
// see red and green alike.
function divergingColour(value) {
  const end = value < 0 ? [214, 96, 15] : state.dark ? [92, 170, 255] : [20, 92, 168];
  return onGround(end, Math.min(1, Math.abs(value)));
}

// A share of a colour on the ground of a card.
function onGround(colour, share) {
  const ground = state.dark ? [24, 27, 32] : [255, 255, 255];
  return ground.map((part, i) => Math.round(part + (colour[i] - part) * share));
}

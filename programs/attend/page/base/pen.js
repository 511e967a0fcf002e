// pen.js: every picture is drawn by a function that gets a pen: a canvas's own, or an SvgPen, which
// has the same methods and writes the drawing as SVG. So what is saved is what is seen.

// A colour of style.css.
const themed = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The size of a rem in pixels, by which drawings grow with the letters.
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
const FONT =
  "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
const font = (size, weight = 400) => `${weight} ${(size * rem()).toFixed(1)}px ${FONT}`;

class SvgPen {
  constructor(width, height) {
    this.parts = [];
    this.size = [width, height];
    this.stack = [];
    this.path = "";
    Object.assign(this, {fillStyle: "#000000", strokeStyle: "#000000", lineWidth: 1, globalAlpha: 1,
      font: "", textAlign: "left", textBaseline: "alphabetic", dash: [], transform: ""});
    this.measure = document.createElement("canvas").getContext("2d");
  }
  static KEPT = ["fillStyle", "strokeStyle", "lineWidth", "globalAlpha", "font", "textAlign",
    "textBaseline", "dash", "transform"];
  save() { this.stack.push(Object.fromEntries(SvgPen.KEPT.map(name => [name, this[name]]))); }
  restore() { Object.assign(this, this.stack.pop()); }
  translate(x, y) { this.transform += ` translate(${round(x)} ${round(y)})`; }
  rotate(angle) { this.transform += ` rotate(${round(angle * 180 / Math.PI)})`; }
  setLineDash(dash) { this.dash = dash; }
  clip() {} // a whole picture is saved, nothing of it is scrolled away
  measureText(text) {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }
  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${round(x)} ${round(y)}`; }
  lineTo(x, y) { this.path += `L${round(x)} ${round(y)}`; }
  bezierCurveTo(...numbers) { this.path += `C${numbers.map(round).join(" ")}`; }
  rect(x, y, width, height) {
    this.path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
  }
  put(name, attributes, text = "") {
    const moved = this.transform ? {transform: this.transform.trim()} : {};
    const faint = this.globalAlpha < 1 ? {opacity: round(this.globalAlpha)} : {};
    const all = Object.entries({...attributes, ...moved, ...faint});
    this.parts.push(
      `<${name} ${all.map(([key, value]) => `${key}="${escaped(value)}"`).join(" ")}` +
      (text ? `>${escaped(text)}</${name}>` : "/>"));
  }
  stroke() {
    this.put("path", {
      d: this.path,
      fill: "none",
      stroke: this.strokeStyle,
      "stroke-width": this.lineWidth,
      ...this.dash.length ? {"stroke-dasharray": this.dash.join(" ")} : {}
    });
  }
  fill() { this.put("path", {d: this.path, fill: this.fillStyle}); }
  fillRect(x, y, width, height) {
    this.put("rect",
      {x: round(x), y: round(y), width: round(width), height: round(height), fill: this.fillStyle});
  }
  strokeRect(x, y, width, height) {
    this.put("rect", {x: round(x), y: round(y), width: round(width), height: round(height),
      fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth});
  }
  fillText(text, x, y) {
    const [, weight, size, family] = this.font.match(/^(\d+) ([\d.]+)px (.*)$/);
    const shift = {middle: 0.35, top: 0.8, alphabetic: 0, bottom: -0.2}[this.textBaseline];
    this.put("text", {x: round(x), y: round(y + shift * size), fill: this.fillStyle,
      "font-family": family, "font-size": size, "font-weight": weight,
      "text-anchor": {left: "start", center: "middle", right: "end"}[this.textAlign]}, text);
  }
  drawImage(image, x, y, width, height) {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [image.width, image.height];
    copy.getContext("2d").drawImage(image, 0, 0);
    this.put("image", {href: copy.toDataURL(), x, y, width, height, preserveAspectRatio: "none",
      style: "image-rendering: pixelated"});
  }
  text() {
    const [width, height] = this.size.map(Math.ceil);
    const hatch = `<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse">` +
      `<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke="${themed("--hatch")}"/></pattern></defs>`;
    const space = "http:" + "//www.w3.org/2000/svg"; // a name, not an address that is asked
    return `<svg xmlns="${space}" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}">\n${hatch}\n${this.parts.join("\n")}\n</svg>\n`;
  }
}

const round = number => Math.round(number * 100) / 100;
const escaped = text => String(text).replace(/[&<>"]/g, letter => `&#${letter.charCodeAt(0)};`);

// What shows that a query cannot attend to a key.
function hatching(pen) {
  if (pen instanceof SvgPen) return "url(#hatch)";
  const ratio = pen.ratio || 1, tile = document.createElement("canvas"),
        size = Math.round(6 * ratio);
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  ink.strokeStyle = themed("--hatch");
  ink.lineWidth = ratio;
  for (const x of [-size, 0, size]) {
    ink.moveTo(x, size);
    ink.lineTo(x + size, 0);
  }
  ink.stroke();
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, 0, 0]));
  return pattern;
}

// Gives a canvas a size in CSS pixels, with as many dots as the screen has; returns its pen, on an
// empty ground.
function penOn(canvas, width, height, ratio = devicePixelRatio || 1) {
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.ratio = ratio;
  return pen;
}

function line(pen, points, colour, width) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  points.forEach((point, i) => i ? pen.lineTo(...point) : pen.moveTo(...point));
  pen.stroke();
}

// Draws within a rectangle only; lines of text are centred on their height.
function within(pen, left, top, right, bottom, draw) {
  pen.save();
  pen.beginPath();
  pen.rect(left, top, right - left, bottom - top);
  pen.clip();
  pen.textBaseline = "middle";
  draw();
  pen.restore();
}

// A word that fits into a width, cut if it is longer.
function cut(pen, word, width) {
  if (pen.measureText(word).width <= width) return word;
  const letters = [...word];
  while (letters.length && pen.measureText(letters.join("") + "…").width > width) letters.pop();
  return letters.join("") + "…";
}

// Hands a file to the browser, to be saved.
function saveFile(blob, name) {
  const link = make("a", "", {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Saves a drawing of a size: draw(pen) puts it on the page's ground.
function saveDrawing(kind, name, width, height, draw) {
  const ground = pen => {
    pen.fillStyle = themed("--card");
    pen.fillRect(0, 0, width, height);
    draw(pen);
  };
  if (kind === "svg") {
    const pen = new SvgPen(width, height);
    ground(pen);
    saveFile(new Blob([pen.text()], {type: "image/svg+xml"}), `${name}.svg`);
  } else {
    const canvas = document.createElement("canvas");
    ground(penOn(canvas, width, height, 2));
    canvas.toBlob(blob => saveFile(blob, `${name}.png`));
  }
}

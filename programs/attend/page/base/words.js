// words.js: every sentence of the page, in English and in Spanish. say() gives the one of the
// language that is chosen; {name} stands for a value.

const WORDS = {
  reads: ["The model reads", "El modelo lee"],
  type_here: ["The model reads this. Type your own sentence:",
    "El modelo lee esto. Escribe tu propia oración:"],
  known_part: ["The page shows the words before the unknown one.",
    "La página muestra las palabras que están antes de la desconocida."],
  chip_bars: ["The bar under a word: how much the framed word looks at it.",
    "La barra debajo de una palabra: cuánto la mira la palabra con marco."],
  chip_shades: ["The colour of a word: its surprise, from 0 bits to {most}, that of a word drawn " +
    "at random, or more. Point at a word, or tap it, to see what the model expected there.",
    "El color de una palabra: su sorpresa, de 0 bits a {most}, la de una palabra sacada al azar, " +
    "o más. Señala o toca una palabra para ver qué esperaba ahí el modelo."],
  surprise: ["surprise", "sorpresa"],
  surprise_title: ["Shade each word by how surprising the model finds it: −log₂ of its probability",
    "Colorear cada palabra según cuánto sorprende al modelo: −log₂ de su probabilidad"],
  bits: ["{word}: {n} bits", "{word}: {n} bits"],
  eos: ["[eos]: the text ends here.", "[eos]: aquí termina el texto."],
  projector: ["projector", "proyector"],
  restore: ["restore", "restaurar"],
  texts: ["Texts", "Textos"],
  chips: ["Choose a word of the text", "Elige una palabra del texto"],
  heads: ["{layers} × {heads} heads", "{layers} × {heads} cabezas"],
  tokens: ["{n} tokens", "{n} tokens"],
  token: ["1 token", "1 token"],
  bos: ["[bos] marks the beginning of the line.", "[bos] marca el comienzo de la línea."],
  sep: ["[sep] stands between source and target.", "[sep] separa el origen del destino."],
  ahead: ["The words of the {part} also attend to later ones.",
    "Las palabras {part} también atienden a las que vienen después."],
  part_source: ["source", "del origen"],
  part_line: ["line", "de la línea"],
  mask: ["[mask] stands for a word that is hidden from the model.",
    "[mask] reemplaza una palabra que el modelo no ve."],
  unknown: ["The model does not know “{word}”.", "El modelo no conoce «{word}»."],
  nearest: ["The nearest words:", "Las más parecidas:"],
  too_long: ["That is {n} tokens; the model reads at most {most}.",
    "Son {n} tokens; el modelo lee {most} como máximo."],
  problem_empty: ["Type something to read.", "Escribe algo para leer."],
  problem_reserved: ["{token} is reserved for the model.",
    "{token} está reservado para el modelo."],
  problem_gaps: ["This model fills no gaps: leave out [mask].",
    "Este modelo no llena huecos: quita [mask]."],
  problem_source: ["Type a source before the arrow.", "Escribe un origen antes de la flecha."],
  problem_lines: ["A pair is one line.", "Un par es una sola línea."],
  problem_tabs: ["A pair has one arrow.", "Un par tiene una sola flecha."],
  source: ["source", "origen"],
  target: ["target", "destino"],

  all_heads: ["All heads", "Todas las cabezas"],
  choose_head: ["Choose a head; arrow keys move", "Elige una cabeza; las flechas mueven"],
  order: ["Order", "Orden"],
  by_layer: ["by layer", "por capa"],
  by_bos: ["most on [bos]", "las que más miran a [bos]"],
  by_before: ["most on the previous word", "las que más miran a la anterior"],
  by_itself: ["most on itself", "las que más miran a la misma"],
  by_after: ["most on the next word", "las que más miran a la siguiente"],
  by_focus: ["most focused", "las más concentradas"],
  by_distance: ["farthest back", "las que miran más lejos"],
  layer: ["layer {layer}", "capa {layer}"],
  head_name: ["Layer {layer}, head {head}", "Capa {layer}, cabeza {head}"],
  head_shares: [" (keys and values of heads {first} to {last})",
    " (claves y valores de las cabezas {first} a {last})"],
  ramp: ["Colours from weight 0 to weight 1", "Colores del peso 0 al peso 1"],
  unseen: ["cannot attend", "no puede atender"],
  lift: ["bring out small weights", "resaltar pesos pequeños"],
  lift_title: ["Colour by the square root of the weight", "Color según la raíz cuadrada del peso"],
  about_heads: ["Each picture is one head: a part of the model that decides how much each word " +
    "attends to (looks at) the others.", "Cada figura es una cabeza: una parte del modelo que " +
    "decide cuánto atiende (mira) cada palabra a las otras."],
  hint: ["The page opens with the head that looks most firmly at other words.",
    "La página abre con la cabeza que más se fija en otras palabras."],
  hint_keys: ["Arrow keys go from head to head and, in the large picture, from cell to cell.",
    "Las flechas pasan de cabeza en cabeza y, en la figura grande, de celda en celda."],

  switch_off: ["Switch off", "Apagar"],
  off_title: ["What is switched off adds nothing to what the model computes",
    "Lo que está apagado no agrega nada a lo que el modelo calcula"],
  off_others: ["all but {name}", "todas menos {name}"],
  all_on: ["all on", "encender todo"],
  off: ["off", "apagada"],
  loss: ["loss {n} per token", "pérdida {n} por token"],
  loss_without: ["loss {n} per token without {off}; with all heads {all}",
    "pérdida {n} por token sin {off}; con todas las cabezas {all}"],

  forms: ["How to show it", "Cómo mostrarla"],
  matrix: ["Matrix", "Matriz"],
  arcs: ["Arcs", "Arcos"],
  across: ["One word, all heads", "Una palabra, todas las cabezas"],
  across_name: ["What {word} attends to, in every head", "A qué atiende {word} en cada cabeza"],
  two_heads: ["Two heads", "Dos cabezas"],
  compare: ["compare two heads", "comparar dos cabezas"],
  save: ["Save", "Guardar"],
  save_svg: ["Save this picture as SVG", "Guardar esta figura como SVG"],
  save_png: ["Save this picture as PNG", "Guardar esta figura como PNG"],
  smaller: ["smaller", "más pequeño"],
  larger: ["larger", "más grande"],
  fit: ["fit", "ajustar"],
  about_matrix: [
    "Each square: how much the row’s word looks at the column’s word. Each row sums to 1.",
    "Cada cuadro: cuánto mira la palabra de la fila a la de la columna. Cada fila suma 1."],
  about_arcs: [
    "Each arc: how much the chosen word looks at another; faint: those of the other words.",
    "Cada arco: cuánto mira la palabra elegida a otra; tenues: los de las otras palabras."],
  about_across: [
    "Each row is a head: how much the chosen word looks at the word of the column there.",
    "Cada fila es una cabeza: cuánto mira ahí la palabra elegida a la de la columna."],
  hint_matrix: ["Choose a cell to keep it, again to let it go; choose a row’s word to follow it.",
    "Elige una celda para fijarla, otra vez para soltarla; elige la palabra de una fila para " +
    "seguirla."],
  hint_arcs: ["Choose a word to see its arcs.", "Elige una palabra para ver sus arcos."],
  hint_across: [
    "Choose a cell to keep it and the head of its row. Choose another word in the text.",
    "Elige una celda para fijarla con la cabeza de su fila. Elige otra palabra en el texto."],
  point: ["Point at a cell, or tap it, to read its weight.",
    "Señala o toca una celda para leer su peso."],
  point_word: ["Point at a word, or tap it, to see what it attends to.",
    "Señala o toca una palabra para ver a qué atiende."],
  attends: ["{query} attends to {key}", "{query} atiende a {key}"],
  attends_itself: ["{query} attends to itself", "{query} se atiende a sí misma"],
  cannot: ["{query} cannot attend to {key}", "{query} no puede atender a {key}"],
  divisor: ["The divisor is the sum of e^score over the row.",
    "El divisor es la suma de e^puntaje en la fila."],
  later: ["it comes later", "viene después"],
  pattern: ["the head’s pattern is {pattern}", "el patrón de la cabeza es {pattern}"],
  entropy: ["entropy {n} bits", "entropía {n} bits"],
  distance: ["mean distance {n}", "distancia media {n}"],
  itself: ["itself {n}", "sí misma {n}"],
  before: ["previous {n}", "anterior {n}"],
  after: ["next {n}", "siguiente {n}"],
  on_bos: ["[bos] {n}", "[bos] {n}"],
  summary: ["Means over the rows. Entropy: 0 bits if one word gets everything, 1 if two get half " +
    "each, 2 if four get a quarter each.", "Promedios de las filas. Entropía: 0 bits si una " +
    "palabra recibe todo, 1 si dos reciben la mitad, 2 si cuatro reciben un cuarto."],
  picture: ["Attention of {head} over {tokens}. {summary}",
    "Atención de {head} sobre {tokens}. {summary}"],
  words_by_words: ["Words by words; arrow keys move the cell",
    "Tabla de palabras; las flechas mueven la celda"],

  next: ["The next word", "La palabra que sigue"],
  instead: ["In the place of {word} ({n} bits)", "En el lugar de {word} ({n} bits)"],
  gap: ["What stands here", "Qué va aquí"],
  plain_bos: ["(start)", "(inicio)"],
  plain_eos: ["(the end)", "(el final)"],
  plain_unk: ["(another word)", "(otra palabra)"],
  plain_sep: ["→", "→"],
  plain_mask: ["(a gap)", "(un hueco)"],
  plain_next: ["Comes next", "Lo que sigue"],
  plain_text: ["in the text: {shares}", "en el texto: {shares}"],
  plain_heads: ["What two heads look at", "Qué miran dos cabezas"],
  legend_model: ["the model’s share.", "la parte que da el modelo."],
  legend_both: ["the share that the model and counting give together.",
    "la parte que dan juntos el modelo y el conteo."],
  legend_text: ["how often the text has it: 1/2 is once in two times.",
    "cuánto lo tiene el texto: 1/2 es una de dos veces."],
  whole: ["with all lines", "con todas las líneas"],
  change_falls: ["Without {lines}, {word} after {after} falls from {from} to {to}.",
    "Sin {lines}, {word} después de {after} baja de {from} a {to}."],
  change_rises: ["Without {lines}, {word} after {after} rises from {from} to {to}.",
    "Sin {lines}, {word} después de {after} sube de {from} a {to}."],
  change_none: ["Without {lines}, what follows {after} hardly changes.",
    "Sin {lines}, lo que sigue después de {after} casi no cambia."],
  counted: ["{times} of {total} in the text", "{times} de {total} en el texto"],
  score: ["score", "puntaje"],
  steps: ["The score of the word, divided by the temperature; e to that power; and this divided " +
    "by the sum of the same over all words that can be drawn",
    "El puntaje de la palabra, dividido entre la temperatura; e elevado a eso; y eso dividido " +
    "entre la suma de lo mismo para todas las palabras que pueden salir"],
  append: ["append {word}, {share}", "agregar {word}, {share}"],
  others: ["{n} others: {share}", "{n} otros: {share}"],
  other: ["1 other: {share}", "1 otro: {share}"],
  temperature: ["Temperature", "Temperatura"],
  topK: ["top-k", "top-k"],
  topP: ["top-p", "top-p"],
  share: ["Share of counting", "Parte del conteo"],
  all: ["all", "todas"],
  write: ["write", "escribir"],
  fill: ["fill the gaps", "llenar los huecos"],
  stop: ["stop", "detener"],
  ended: ["The text ends here: type another one.", "El texto termina aquí: escribe otro."],
  filled: ["No gap is left.", "No quedan huecos."],
  step: ["one word", "una palabra"],
  eight: ["eight at once", "ocho a la vez"],
  eight_title: ["Write eight times on from this text, as ./sample --count 8 does",
    "Seguir ocho veces desde este texto, como ./sample --count 8"],
  line_new: ["new", "nueva"],
  line_in_text: ["word for word in the text", "tal cual en el texto"],
  seed: ["Seed", "Semilla"],
  hint_write: ["Choose a word to append it. Write draws words: with the same text and seed, the " +
    "same ones. A temperature below 1 is safer, above 1 more varied.",
    "Elige una palabra para agregarla. El botón escribir saca palabras al azar: con el mismo " +
    "texto y la misma semilla, las mismas. Una temperatura menor que 1 arriesga menos; mayor que " +
    "1 varía más."],
  hint_fill: ["Choose a word to put it into the gap. Fill the gaps draws first for the gap of " +
    "which the model is surest, then, after reading again, for the next.",
    "Elige una palabra para ponerla en el hueco. Llenar los huecos empieza por el hueco del que " +
    "el modelo está más seguro y luego, tras leer otra vez, sigue con el próximo."],

  lens: ["Layer by layer", "Capa por capa"],
  hint_lens: ["What the model would say next if it stopped after each layer.",
    "En cada fila, lo que el modelo diría si terminara en esa capa."],
  lens_none: ["the input", "la entrada"],
  lens_layer: ["layer {layer}", "capa {layer}"],

  training: ["How it learnt", "Cómo aprendió"],
  moment: ["Step", "Paso"],
  hint_training: ["The loss is the model’s surprise, the mean of −ln p per token. Below " +
    "it is the learning rate. Move along the steps to read the numbers.",
    "La pérdida es la sorpresa del modelo, el promedio de −ln p por token. Debajo está la " +
    "tasa de aprendizaje. Recorre los pasos para leer los números."],
  at_step: ["step {n}", "paso {n}"],
  each_step: ["each step", "cada paso"],
  all_text: ["all text", "todo el texto"],
  held_out: ["held-out", "reservado"],
  floor: ["floor", "piso"],
  uniform: ["a uniform guess", "al azar"],
  counting: ["counting", "conteo"],
  frequencies: ["frequencies", "frecuencias"],
  kept: ["the kept run", "el de al lado"],
  plain_loss: ["loss", "pérdida"],
  rate: ["rate", "tasa"],

  age: ["The model at", "Momento"],
  at_end: ["the end", "al final"],

  positions: ["Positions", "Posiciones"],
  hint_positions: ["How alike the vectors of two places are: their cosine, from −1 to 1.",
    "Cuánto se parecen los vectores de dos lugares: su coseno, de −1 a 1."],
  hint_rotary: ["Each place turns queries and keys by its own angles. Here is the mean cosine of " +
    "the angles between two places: it depends on how far apart they are, and on nothing else.",
    "Cada lugar gira las consultas y las claves en ángulos propios. Aquí está el coseno medio de " +
    "los ángulos entre dos lugares: depende de cuánto distan, y de nada más."],
  cosine: ["places {a} and {b}: {n}", "lugares {a} y {b}: {n}"],
  point_cosine: ["Point at a cell, or tap it.", "Señala o toca una celda."],
  places: ["Places by places; arrow keys move the cell",
    "Tabla de posiciones; las flechas mueven la celda"],

  vocabulary: ["The words as points", "Las palabras como puntos"],
  about_map: ["Each word is {width} numbers to the model, its embedding. The map shows the two " +
    "directions in which they differ most: {share} of all differences.",
    "Para el modelo cada palabra son {width} números. El mapa muestra las dos direcciones en que " +
    "más difieren: {share} de todas las diferencias."],
  map: ["Map of the words; arrow keys go from word to word",
    "Mapa de las palabras; las flechas van de palabra en palabra"],
  near: ["The most alike", "Las más parecidas"],
  near_cosine: ["cosine {n}", "coseno {n}"],
  in_text: ["{n} in the text", "{n} en el texto"],
  rare: ["rare in the text", "poco frecuente en el texto"],
  frequent: ["frequent", "muy frecuente"],
  hint_map: ["Point at a word, or choose one, to see which are nearest to it by all its numbers: " +
    "their cosine, 1 if they point in the same direction, about 0 if they have nothing in common.",
    "Señala o elige una palabra para ver cuáles se le parecen más, con todos sus números: su " +
    "coseno, 1 si apuntan en la misma dirección y cerca de 0 si no tienen nada en común."],

  dark: ["dark", "oscuro"],
  light: ["light", "claro"],
  to_dark: ["switch to dark colours", "cambiar a colores oscuros"],
  to_light: ["switch to light colours", "cambiar a colores claros"],
  other_language: ["español", "English"],
  title: ["{text} – attention in {run}", "{text} – atención en {run}"],
  footer: ["Made by Pulga. This file needs no network and sends nothing.",
    "Hecho con Pulga. Este archivo no necesita internet y no envía nada."],
};

const LANGUAGES = ["en", "es"];

function say(name, values = {}) {
  const sentence = WORDS[name][LANGUAGES.indexOf(state.language)];
  return sentence.replace(/\{(\w+)\}/g, (whole, value) => values[value] ?? whole);
}

// Writes the sentences that stand in page.html itself.
function sayAll() {
  document.documentElement.lang = state.language;
  for (const part of document.querySelectorAll("[data-say]"))
    part.textContent = say(part.dataset.say);
  for (const part of document.querySelectorAll("[data-label]"))
    part.setAttribute("aria-label", say(part.dataset.label));
  for (const part of document.querySelectorAll("[data-title]"))
    part.title = say(part.dataset.title);
}

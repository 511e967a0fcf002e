#!/bin/sh
# build.sh FOLDER TEXT...   prints the lab: lab.html with its style and script, the two programs
# that are in FOLDER, the cards of the lesson, and the texts
set -eu
folder=$1
shift
blocks=$folder/blocks.html
{
    for kind in relaxed exact; do
        echo "<script type=\"text/plain\" id=\"$kind\">"
        gzip -9nc "$folder/$kind.wasm" | base64 -w 0
        echo '</script>'
    done
    echo '<script type="text/plain" id="worker">'
    cat programs/lab/wasi.js programs/lab/worker.js
    echo '</script>'
    echo '<script type="application/json" id="lesson-cards">'
    awk -f programs/lab/cards.awk docs/lesson.md docs/leccion.md
    echo '</script>'
    for text; do
        echo "<script type=\"text/plain\" class=\"text-file\" data-name=\"${text##*/}\">"
        cat "$text"
        echo '</script>'
    done
} >"$blocks"
base=programs/attend/page/base
cat $base/words.js programs/lab/words.js $base/bytes.js $base/state.js $base/elements.js $base/pen.js \
    $base/curve.js $base/controls.js programs/lab/zip.js programs/lab/runs.js programs/lab/choices.js \
    programs/lab/lesson.js programs/lab/lab.js \
    >"$folder/page.js"
cat programs/attend/page/style.css programs/lab/lab.css >"$folder/page.css"
sed -e "/^<!-- the style -->/{r $folder/page.css" -e 'd}' \
    -e "/^<!-- the script -->/{r $folder/page.js" -e 'd}' \
    -e "/^<!-- the programs and texts -->/{r $blocks" -e 'd}' programs/lab/lab.html

#!/bin/sh
# pulga PROGRAM [ARGUMENT...]    calls pulga-train, pulga-sample, pulga-attend or pulga-export; alone
#                                it says what there is. scripts/install.sh installs it as pulga.
set -eu
here=$(dirname "$(readlink -f "$0")")

spanish=
case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in es | es[_.@]*) spanish=yes ;; esac
say() { # ENGLISH SPANISH
    if [ "$spanish" ]; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi
}

page=$here/../share/pulga/pulga.html
case ${1:-} in
train | sample | attend | export)
    program=$1
    shift
    exec "$here/pulga-$program" "$@"
    ;;
lab)
    if [ ! -e "$page" ]; then
        say "pulga: the lab is not installed; type make lab, then make install again" \
            "pulga: el laboratorio no está instalado; escribe make lab y otra vez make install" >&2
        exit 1
    fi
    page=$(readlink -f "$page")
    say "the lab is the page $page; it opens in a browser" \
        "el laboratorio es la página $page; se abre en un navegador"
    if command -v xdg-open >/dev/null && [ "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
        exec xdg-open "$page"
    fi
    ;;
"" | -h | --help)
    say "pulga train TEXT          trains a small GPT on a text file
pulga sample RUN PROMPT   goes on with a text as the model would
pulga attend RUN TEXT     shows what each head of the model attends to
pulga export RUN FILE     writes the model for llama.cpp and Ollama
pulga lab                 the page that trains in a browser; pulga train --help says more" \
        "pulga train TEXTO          entrena un GPT pequeño con un archivo de texto
pulga sample MODELO TEXTO  sigue un texto como lo haría el modelo
pulga attend MODELO TEXTO  muestra a qué atiende cada cabeza del modelo
pulga export MODELO ARCHIVO  escribe el modelo para llama.cpp y Ollama
pulga lab                  la página que entrena en un navegador; pulga train --help dice más"
    ;;
-V | --version) exec "$here/pulga-train" --version ;;
*)
    say "pulga: there is no $1; it can be train, sample, attend, export or lab" \
        "pulga: no hay $1; puede ser train, sample, attend, export o lab" >&2
    exit 64
    ;;
esac

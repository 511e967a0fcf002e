#!/usr/bin/env bash
# busy.sh: prints how many seconds the programs take with the threads that they choose and on one
# thread: first on the machine as it is, then beside four busy programs for each processor. Each
# figure is the median of five; both ways take turns.
set -euo pipefail
: "${BIN:=$PWD}"
export LC_ALL=C.UTF-8 TIMEFORMAT=%R
work=$(mktemp -d)
ln -s "$PWD/data" "$work"
loads=()
end() {
    ((${#loads[@]} == 0)) || kill "${loads[@]}"
    rm -rf "$work"
}
trap end EXIT
cd "$work"
cat /usr/share/common-licenses/* | head -c 100000 >licenses.txt || true # head leaves cat behind
"$BIN/train" data/cuentos.txt --out cuentos >/dev/null
"$BIN/train" licenses.txt --tokens char --steps 20 --out licenses >/dev/null

works=(
    "train data/perro.txt --out run --overwrite"
    "train data/cuentos.txt --steps 60 --out run --overwrite"
    "train licenses.txt --tokens bpe --steps 10 --out run --overwrite"
    "sample cuentos Luna --words 200 --count 20"
    "sample licenses The --words 500"
    "attend cuentos La niña corrió --output page.html"
)

# median NUMBER...: of five.
median() { printf '%s\n' "$@" | sort -n | sed -n 3p; }

# columns COMMAND...: its two columns.
columns() {
    local chosen=() one=()
    for _ in 1 2 3 4 5; do
        chosen+=("$({ time "$BIN/"$1 >/dev/null; } 2>&1)")
        one+=("$({ time OMP_NUM_THREADS=1 "$BIN/"$1 >/dev/null; } 2>&1)")
    done
    printf ' %s | %s |' "$(median "${chosen[@]}")" "$(median "${one[@]}")"
}

rows=()
for i in "${!works[@]}"; do rows[i]=$(columns "${works[i]}"); done
for ((i = 4 * $(nproc); i > 0; i--)); do
    timeout 300 sh -c 'while :; do :; done' &
    loads+=($!)
done
echo "| seconds | as it is | one thread | beside ${#loads[@]} busy programs | one thread |"
echo "| --- | --- | --- | --- | --- |"
for i in "${!works[@]}"; do
    echo "| ${works[i]%% --out*} |${rows[i]}$(columns "${works[i]}")"
done

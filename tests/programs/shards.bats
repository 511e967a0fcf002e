# shards.bats: steps that are cut into shards give the same bits for any number of processes.
load programs.bash

# each N... -- OPTION...: a run of N processes, for each N, is that of one.
each() {
    local counts=() n
    while [ "$1" != -- ]; do counts+=("$1"); shift; done
    shift
    rm -rf one
    "$BIN/train" "$@" --out one >/dev/null
    for n in "${counts[@]}"; do
        rm -rf team
        by "$n" "$BUILD/mpi/train" "$@" --threads $((1 + n % 2)) --out team >out.txt 2>err.txt || {
            echo "$n processes: $*"; cat out.txt err.txt; return 1; }
        same_run one team || { echo "$n processes: $*"; return 1; }
    done
}

SMALL="--width 16 --heads 2 --layers 3 --steps 12 --eval-every 4 --shards 8"

@test "one shard is the step as it was, and more of them change the last digits" {
    local few="--steps 10 --seed 3 --threads 1"
    "$BIN/train" perro.txt $few --out a >/dev/null
    "$BIN/train" perro.txt $few --shards 1 --out b >/dev/null
    "$BIN/train" perro.txt $few --shards 4 --out c >/dev/null
    same_run a b
    differ a/model.safetensors c/model.safetensors
    local one four
    one=$(tail -n 1 a/log.csv | cut -d, -f4)
    four=$(tail -n 1 c/log.csv | cut -d, -f4)
    awk "BEGIN { exit !($one - $four < 1e-4 && $four - $one < 1e-4) }"
}

@test "any number of processes trains the same model" {
    needs_mpi
    each 1 2 3 4 5 6 7 8 -- perro.txt $SMALL
    each 2 3 8 -- perro.txt $SMALL --accumulate 2 --batch 5 --dropout 0.2 --average --norm post
    each 2 5 -- perro.txt $SMALL --optimizer muon --untied --positions learned --no-qkv-bias
    each 3 4 -- perro.txt $SMALL --attend 2,strided:2,fixed:3,summary:4:1 --batch 2 --clip 0.1
    each 2 3 -- perro.txt $SMALL --patience 1 --lr-factor 30
}

@test "any number of processes trains the same model with every objective and tokenizer" {
    needs_mpi
    cp "$ROOT/data/cuentos.txt" "$ROOT/data/traducciones.tsv" .
    each 3 -- perro.txt $SMALL --objective masked --dropout 0.1
    each 3 -- traducciones.tsv $SMALL
    each 2 -- cuentos.txt $SMALL --tokens char --context 20 --val 0.2
    each 3 -- cuentos.txt $SMALL --tokens bpe --vocabulary 300
    ! "$BIN/train" perro.txt --precision bf16 --steps 1 --out bf16 >/dev/null 2>&1 ||
        each 2 3 -- cuentos.txt $SMALL --precision bf16
}

@test "a run goes on with another number of processes" {
    needs_mpi
    local options="perro.txt $SMALL --optimizer muon --average --dropout 0.1" n
    "$BIN/train" $options --out one >/dev/null
    by 3 "$BUILD/mpi/train" $options --out team --stop-after 3 >/dev/null
    for n in 2 1 8; do
        by $n "$BUILD/mpi/train" --resume team --stop-after $((12 - 2 * n % 8)) >/dev/null
    done
    "$BIN/train" --resume team >/dev/null
    cmp one/model.safetensors team/model.safetensors
    cmp <(numbers_of one/state.safetensors) <(numbers_of team/state.safetensors)
}

@test "a team has as many shards as it needs, and is no larger than its shards" {
    needs_mpi
    by 3 "$BUILD/mpi/train" perro.txt --steps 1 --out run | grep -q "9 sequences, in 4 shards"
    refuses 64 "a team of 5 needs as many shards, and this run has 4" -- \
        by 5 "$BUILD/mpi/train" --resume run --steps 2
}

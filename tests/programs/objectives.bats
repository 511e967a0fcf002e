# objectives.bats: runs on pairs and on masked tokens, with everything that a run may have.
load programs.bash

# Twelve pairs, one of whose sources has two targets.
pairs() {
    printf 'uno dos\tone two\ntres\tthree\nuno tres\tone three\ndos\ttwo\ncuatro uno\tfour one\n'
    printf 'dos dos\ttwo two\nuno\tone\nuno\ta\ntres dos uno\tthree two one\ntres tres\tthree three\n'
    printf 'dos uno\ttwo one\ncuatro\tfour\n'
}

@test "a run on pairs or masked tokens has the same bits by any number of threads, and resumed" {
    pairs >pairs.tsv
    local more="--steps 7 --batch 5 --accumulate 2 --eval-every 2 --dropout 0.2 --width 16 --seed 3"
    same_bits pairs.tsv $more
    same_bits pairs.tsv $more --causal-source --window 2,0 --average --val 0.2
    same_bits pairs.tsv $more --tokens char --norm post --positions learned --optimizer muon \
        --attend strided:2,all,summary:3:1,fixed:4
    same_bits perro.txt --objective masked $more
    same_bits perro.txt --objective masked $more --mask 0.4 --window 2,0 --optimizer muon --val 0.2
    same_bits perro.txt --objective masked $more --attend strided:2,all,summary:3:1,fixed:4 \
        --norm post --positions learned --average
    same_bits perro.txt --objective masked $more --tokens char --sequence stream --context 16
    grep -q AMX_BF16 /proc/cpuinfo || grep -q amx_bf16 /proc/cpuinfo ||
        grep -q avx512_bf16 /proc/cpuinfo || return 0
    same_bits pairs.tsv $more --precision bf16
    same_bits perro.txt --objective masked $more --precision bf16
}

# The loss that train reports of a text is the one that sample computes of it.
@test "the score of pairs and of masked tokens is what train reports" {
    pairs >pairs.tsv
    "$BIN/train" pairs.tsv --steps 30 --attend 3,all --out pairs >/dev/null
    "$BIN/train" perro.txt --objective masked --steps 30 --attend 3,all --out masked >/dev/null
    "$BIN/train" perro.txt --objective masked --context 5 --steps 30 --out cut >/dev/null
    local run text
    for run in "pairs pairs.tsv" "masked perro.txt" "cut perro.txt"; do
        read -r run text <<<"$run"
        local best
        best=$(cut -d, -f4 $run/log.csv | grep . | sed 1d | sort -g | head -n 1)
        "$BIN/sample" $run --score $text --json | tail -n 1 |
            holds --argjson best "$best" '(.loss - $best | fabs) < 1e-5'
    done
}

@test "a model of pairs or masked tokens can be trained further, but not for another objective" {
    pairs >pairs.tsv
    "$BIN/train" pairs.tsv --steps 20 --window 3,0 --out pairs >/dev/null
    "$BIN/train" perro.txt --objective masked --attend fixed:4,all --steps 20 --out masked >/dev/null
    head -n 4 pairs.tsv >some.tsv
    "$BIN/train" some.tsv --from pairs --steps 3 --out more | grep -q "4 pairs"
    head -n 4 perro.txt >some.txt
    "$BIN/train" some.txt --from masked --mask 0.5 --steps 3 --out again | grep -q "4 lines"
    "$BIN/train" --resume again --steps 5 >/dev/null
    refuses 64 "--objective next conflicts with the model in masked, which has masked" -- \
        "$BIN/train" perro.txt --from masked --objective next
    refuses 64 "--causal-source conflicts with the model in pairs" -- \
        "$BIN/train" pairs.tsv --from pairs --causal-source
    refuses 1 "perro.txt:1: the line has no tab" -- "$BIN/train" perro.txt --from pairs
    refuses 64 "--mask cannot change in a resumed run" -- "$BIN/train" --resume masked --mask 0.5
}

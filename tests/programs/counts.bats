# counts.bats: runs that keep the counts of their text, mixed with the model.
load programs.bash

# result RUN FIELD: a number of the result in config.json.
result() {
    python3 -c 'import json, sys
print(json.load(open(sys.argv[1] + "/config.json"))["pulga"]["result"][sys.argv[2]])' "$1" "$2"
}

# bats test_tags=long
@test "counting and the model together reach less than each alone" {
    cuentos=$ROOT/data/cuentos.txt
    "$BIN/train" "$cuentos" --tokens char --counts --epochs 10 --out run >out.txt
    grep -q "^        [0-9,]* more are set aside to learn the share of counting" out.txt
    best=$(result run best_loss) counting=$(result run counting) mixed=$(result run mixed_loss)
    awk "BEGIN { exit !($mixed < $best - 0.03 && $mixed < $counting - 0.03) }"
    printf '        %.6f with counting, whose share is %.2f\n' "$mixed" \
        "$(result run counting_share)" | grep -qxFf - out.txt

    # All that is predicted is mixed; the shares 0 and 1 are the model and counting alone.
    "$BIN/sample" run "La niña" --count 0 >table.txt
    grep -q "model  counting  both" table.txt
    "$BIN/sample" run "La niña" --count 2 --table 100 --json >both.json
    for share in 0 1; do
        "$BIN/sample" run "La niña" --count 2 --table 100 --share $share --json >$share.json
    done
    python3 - <<'END'
import json, math
both, model, counting = (json.load(open(name + ".json")) for name in ("both", "0", "1"))
alone = [{t["token"]: t["probability"] for t in of["next"]} for of in (model, counting)]
for t in both["next"]:
    for part, name in enumerate(("model", "counting")):
        assert math.isclose(t[name], alone[part][t["token"]], rel_tol=1e-6), t
texts = [[c["text"] for c in of["continuations"]] for of in (both, model, counting)]
assert texts[0] != texts[1] != texts[2]
END
    "$BIN/sample" run "La niña" --share "$(result run counting_share)" --count 2 --table 100 \
        --json | cmp - both.json

    # So are the columns of the rows of a score.
    head -n 2 "$cuentos" >two.txt
    rows() { "$BIN/sample" run --score two.txt --each=word --csv "$@"; }
    rows >both.csv
    rows --share 0 >0.csv
    rows --share 1 >1.csv
    python3 - <<'END'
import csv
both, model, counting = (list(csv.DictReader(open(name + ".csv"))) for name in ("both", "0", "1"))
assert len(both) == len(model) == len(counting) > 9
for row, *alone in zip(both, model, counting):
    assert [row["model"], row["counting"]] == [other["probability"] for other in alone], row
assert any(row["probability"] not in (row["model"], row["counting"]) for row in both)
END

    # In the table for people, both stand before the count in the text.
    "$BIN/sample" run --score two.txt --each=word >table.txt
    head -n 1 table.txt | grep -qE ' p +model  counting'
    sed -n 4p table.txt |
        grep -qF "$(sed -n 2p both.csv | awk -F , '{ printf "  %6.3f  %8.3f", $(NF - 1), $NF }')"

    # A score ends with the three losses, those of the shares 0 and 1 among them.
    score() { "$BIN/sample" run --score two.txt "$@"; }
    score --json | tail -n 1 >score.json
    for way in model=0 counting=1; do
        loss=$(score --share "${way#*=}" --json | tail -n 1 | grep -o '"loss":[^,]*' | cut -d : -f 2)
        grep -q "\"${way%=*}_loss\":$loss[,}]" score.json
        score | grep -q "^ *$(printf %.6f "$loss") .*  in all, .*${way%=*} alone$"
    done
    score --each | tail -n 4 | cmp - <(score | tail -n 4)
    score --share 0 --json | grep -q '"model_loss"'
}

@test "a run that keeps counts is resumed to the same model and share" {
    cuentos=$ROOT/data/cuentos.txt
    "$BIN/train" "$cuentos" --counts --steps 40 --out whole >/dev/null
    "$BIN/train" "$cuentos" --counts --steps 40 --stop-after 20 --out run >/dev/null
    "$BIN/sample" run "La niña" | grep -q both # what was learnt so far
    "$BIN/train" --resume run >/dev/null
    for field in best_loss counting counting_share mixed_loss checksum; do
        [ "$(result whole $field)" = "$(result run $field)" ]
    done
    cmp whole/tokens.bin run/tokens.bin
    rm run/text.txt
    "$BIN/train" --resume run --steps 45 >out.txt
    grep -q "with counting, whose share is" out.txt
    "$BIN/sample" run "La niña" | grep -q both
}

@test "the card of a run that keeps counts has what both reach, also after a call without a step" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --counts --steps 20 --out run >out.txt
    local both
    both=$(sed -n 's/^  *\([0-9.]* with counting, whose share is .*\)$/\1/p' out.txt)
    grep -qxF -- "- **both**: $both" run/README.md
    "$BIN/train" --resume run >out.txt
    grep -qF "$both" out.txt
    grep -qxF -- "- **both**: $both" run/README.md
}

# bats test_tags=long
@test "counts go with pairs, subwords and lines of characters" {
    "$BIN/train" "$ROOT/data/traducciones.tsv" --counts --steps 200 --out pairs >/dev/null
    # Counting is of little use there, and 37 tokens are set aside: they do not make it large.
    awk "BEGIN { exit !($(result pairs mixed_loss) < $(result pairs best_loss) + 0.02) }"
    "$BIN/sample" pairs "el gato duerme" | grep -q "→"
    "$BIN/sample" pairs "el gato duerme" --table 3 | grep -q "model  counting  both"
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens bpe --counts --steps 40 --out bpe >out.txt
    grep -q "with counting, whose share is" out.txt
    # Whole words have their parts, which do not depend on the share.
    for share in 0 1; do
        "$BIN/sample" bpe "La niña" --share $share --table 5 --count 1 | head -n 6 >$share.txt
        grep -q "^  next word .*model  counting  both" $share.txt
        awk -v own=$share 'NR > 1 { n++; if ($(6 + own) != $8) exit 1 } END { exit n != 5 }' $share.txt
    done
    join <(sed 1d 0.txt | sort | awk '{ print $1, $6, $7 }') \
        <(sed 1d 1.txt | sort | awk '{ print $1, $6, $7 }') >join.txt
    [ -s join.txt ]
    awk '$2 != $4 || $3 != $5 { exit 1 }' join.txt
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char --sequence lines --attend 4 --counts \
        --context 24 --steps 40 --out lines >out.txt
    grep -q "with counting, whose share is" out.txt
}

# A tenth of the characters is held out, 3,388. The rows of --each add up to the loss.
# bats test_tags=long
@test "the score of the held-out part of a stream is what train printed" {
    python3 - "$ROOT/data/cuentos.txt" >tail.txt <<'END'
import sys
print(open(sys.argv[1], encoding="utf-8").read()[-3388:], end="")
END
    for options in "--context 64" "--context 7 --counts"; do
        "$BIN/train" "$ROOT/data/cuentos.txt" --tokens char $options --steps 60 --out run \
            --overwrite >out.txt
        "$BIN/sample" run --score tail.txt --json | tail -n 1 >score.json
        "$BIN/sample" run --score tail.txt --json --each >each.json
        python3 - <<'END'
import json, math
result = json.load(open("run/config.json"))["pulga"]["result"]
score, rows = json.load(open("score.json")), [json.loads(row) for row in open("each.json")]
assert score["tokens"] == len(rows) == 3387
assert math.isclose(score.get("model_loss", score["loss"]), result["best_loss"], rel_tol=1e-6)
each = sum(row["surprise"] for row in rows) * math.log(2) / len(rows)
assert math.isclose(score["loss"], each, rel_tol=1e-8), (score, each)
if result["mixed_loss"]:
    assert math.isclose(score["loss"], result["mixed_loss"], rel_tol=1e-6), (score, result)
    assert math.isclose(score["counting_loss"], result["counting"], rel_tol=1e-6)
END
    done
}

@test "what cannot be counted is refused in one line" {
    refuses 64 "--counts needs a part of perro.txt held out; hold it out with --val 0.1" \
        -- "$BIN/train" perro.txt --counts --out run
    refuses 64 "--counts sets a fortieth of the part trained on aside" "too small" \
        -- "$BIN/train" perro.txt --val 0.2 --counts --out run
    refuses 64 "--counts predicts a token from those before it" \
        -- "$BIN/train" "$ROOT/data/cuentos.txt" --objective masked --counts --out run
    [ ! -e run ]
    "$BIN/train" perro.txt --steps 5 --out run >/dev/null
    refuses 64 "--share is for a run with --counts" "run has none" \
        -- "$BIN/sample" run el --share 0.5
    "$BIN/train" "$ROOT/data/cuentos.txt" --counts --steps 5 --checkpoint-every 4 --keep 1 \
        --out counts >/dev/null
    refuses 64 "learns its share when train ends; counts/checkpoint-4 has none" \
        -- "$BIN/sample" counts/checkpoint-4 el --share 0.5
    truncate -s -8 counts/tokens.bin
    refuses 1 "counts/tokens.bin is damaged" -- "$BIN/sample" counts el
}

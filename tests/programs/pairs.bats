# pairs.bats: models of pairs learn a rule, and apply it to sources that they were not trained on.
load programs.bash

# Of the 400 sums, 40 are held out.
# bats test_tags=long
@test "all sums of numbers up to 19 are right, those that were held out too" {
    "$ROOT/scripts/pairs.sh" sums 19 >sums.tsv
    "$BIN/train" sums.tsv --tokens char --threads 1 --out run | grep -q 'held out'
    cut -f1 sums.tsv | "$BIN/sample" run --greedy --json --threads 1 |
        jq -r '.continuations[0].text' | cmp - <(cut -f2 sums.tsv)
}

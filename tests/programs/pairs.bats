# pairs.bats: models of pairs learn a rule, and apply it to sources that they were not trained on.
load programs.bash

# right RUN FILE: how many lines of the file have the target that the run writes, greedily.
right() {
    cut -f1 "$2" | "$BIN/sample" "$1" --greedy --json --threads 1 |
        sed 's/.*"continuations":\[{"text":"\([^"]*\)".*/\1/' >written.txt
    [ "$(wc -l <written.txt)" -eq "$(wc -l <"$2")" ]
    cut -f2 "$2" | paste - written.txt | awk -F'\t' '$1 == $2' | wc -l
}

@test "a sentence is translated" {
    printf '%s\t%s\n' 'ich mochte ein bier' 'i want a beer' 'ich mochte ein wasser' \
        'i want a water' 'ein bier' 'a beer' >bier.tsv
    "$BIN/train" bier.tsv --out run >/dev/null
    "$BIN/sample" run "ich mochte ein bier" >out.txt
    grep -qE '^  1  ich mochte ein bier → i want a beer  \[p (1|0\.99)' out.txt
}

# Of the 400 sums, 40 are held out.
# bats test_tags=long
@test "all sums of numbers up to 19 are right, those that were held out too" {
    "$ROOT/scripts/pairs.sh" sums 19 >sums.tsv
    "$BIN/train" sums.tsv --tokens char --threads 1 --out run >out.txt
    grep -q 'held out' out.txt
    [ "$(right run sums.tsv)" -eq 400 ]
}

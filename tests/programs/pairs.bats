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

# bats test_tags=long
@test "at least 18 of 20 sentences that are new are translated" {
    sed 's/ -> /\t/' >new.tsv <<'END'
la vaca salta bajo el árbol -> the cow jumps under the tree
un caballo blanco no busca el pan -> a white horse does not look for the bread
la vaca grande come en el jardín -> the big cow eats in the garden
el perro negro bebe leche -> the black dog drinks milk
una niña busca la manzana -> a girl looks for the apple
la niña pequeña tiene un caballo -> the small girl has a horse
el gato bebe agua -> the cat drinks water
un niño grande busca una oveja negra -> a big boy looks for a black sheep
una oveja busca una manzana roja -> a sheep looks for a red apple
el perro viejo corre -> the old dog runs
la niña pequeña no tiene un caballo grande -> the small girl does not have a big horse
un niño come el pan -> a boy eats the bread
una niña grande duerme -> a big girl sleeps
el niño lee un libro -> the boy reads a book
la oveja negra salta en el campo -> the black sheep jumps in the field
un niño lee un libro -> a boy reads a book
el caballo viejo quiere una manzana -> the old horse wants an apple
la oveja blanca quiere una flor -> the white sheep wants a flower
un perro negro no tiene una pelota roja -> a black dog does not have a red ball
una niña come una manzana -> a girl eats an apple
END
    [ "$(cut -f1 new.tsv "$ROOT/data/traducciones.tsv" | sort | uniq -d | wc -l)" -eq 0 ]
    "$BIN/train" "$ROOT/data/traducciones.tsv" --val 0 --threads 1 --out run >out.txt
    grep -qE '^best .* 0\.000[0-9]* above the floor' out.txt
    [ "$(right run new.tsv)" -ge 18 ]
}

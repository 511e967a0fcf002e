# floor.bats: every kind of model learns the nine sentences down to their floor, with PULGA_SEEDS
# seeds of each.
load programs.bash

# reaches FLOOR OPTIONS...: the best model of every seed is at most 0.001 (or $within) above the
# floor of perro.txt (or $text), and never below it.
reaches() {
    local floor=$1 file=${text:-perro.txt} gap most=${within:-0.001}
    shift
    for seed in $(seq 1 "${PULGA_SEEDS:-1}"); do
        "$BIN/train" "$file" "$@" --seed "$seed" --out run --overwrite >out.txt
        grep -q "floor $floor" out.txt
        gap=$(sed -n 's/^best .*, \(-\{0,1\}[0-9.]*\) above the floor.*/\1/p' out.txt)
        awk -v gap="$gap" -v most="$most" \
            'BEGIN { exit !(gap != "" && gap >= 0 && gap <= most) }' ||
            { echo "seed $seed: $gap above the floor"; return 1; }
    done
}

@test "with the defaults, post-norm, gelu, learned positions; masked, each word from all others" {
    reaches 0.411980
    reaches 0.411980 --norm post
    reaches 0.411980 --activation gelu --positions learned --untied
    reaches 0.035546 --objective masked
}

# A step reads some words as others, so what it learns from few words is a little less than what an
# evaluation, which hides a single word, would allow.
@test "masked, each word from its neighbour on either side" {
    local within=0.006 PULGA_SEEDS=$(( (${PULGA_SEEDS:-1} + 3) / 4 ))
    reaches 0.240109 --objective masked --layers 1 --attend 2
}

# 8 pairs, 31 words and ends to predict. "el gato come" has two targets, one of them twice; of two
# others, both targets are equally likely: 3·ln 3 − 2·ln 2 + 4·ln 2 = 4.682, for each token 0.151.
@test "pairs, of which some sources have several targets" {
    printf '%s\t%s\n' 'el gato come' 'the cat eats' 'el gato come' 'the cat feeds' \
        'el gato come' 'the cat eats' 'el perro duerme' 'the dog sleeps' \
        'el perro duerme' 'a dog sleeps' 'un gato salta' 'a cat jumps' \
        'un gato salta' 'a cat leaps' 'el perro' 'the dog' >pairs.tsv
    local text=pairs.tsv
    reaches 0.151036
    PULGA_SEEDS=2 reaches 0.151036 --causal-source
    PULGA_SEEDS=2 reaches 0.046821 --tokens char
}

@test "with every pattern of attention, each down to the floor of what it reaches" {
    local PULGA_SEEDS=$(( (${PULGA_SEEDS:-1} + 9) / 10 ))
    reaches 0.491544 --layers 1 --attend 2
    reaches 0.498623 --attend strided:2
    reaches 0.509524 --attend fixed:2
    reaches 0.509524 --attend summary:3:1
    reaches 0.411980 --attend 2,strided:2
}

@test "with the model of the course" {
    within=0.02 PULGA_SEEDS=1 reaches 0.411980 --layers 1 --heads 4 --width 128 --head-size 128 \
        --window 1,2,3,4 --hidden 128 --batch 1 --epochs 100 --lr-factor 0.1 --dropout 0
    grep -q "^steps   900, each of 1 sequence (100 epochs)" out.txt
}

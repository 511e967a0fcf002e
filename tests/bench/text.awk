# text.awk: prints a text of some `size` bytes that is made up: lines of about a dozen words, of
# which there are 300,000. As in a real text, the word of rank r occurs 1/r times as often as the
# first.
BEGIN {
    split("a e o a e i o a e u o as en i a ó", vowels)
    srand(1)
    while (size > 0) {
        rank = int(exp(log(300000) * rand()))
        if (!(rank in words))
            words[rank] = spelled(rank)
        text = words[rank] (rand() < 1 / 12 ? ".\n" : rand() < 1 / 16 ? ", " : " ")
        printf "%s", text
        size -= length(text)
    }
}

# Frequent words have one to three syllables, rare ones three to five: a consonant and a vowel, as
# in Spanish. One in 16 has a letter that is not ASCII.
function spelled(rank, word, bits, left) {
    bits = rank
    for (left = 1 + (rank > 30) + rank % 3 + (rank > 3000); left > 0; left--) {
        bits = (1664525 * bits + 1013904223) % 4294967296
        word = word substr("bcdfghjlmnprstvz", int(bits / 2 ^ 28) + 1, 1) \
            vowels[int(bits / 2 ^ 24) % 16 + 1]
    }
    return word
}

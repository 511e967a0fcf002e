#!/bin/sh
# pairs.sh: prints texts that a model can learn the rule of: files of pairs, each a line
# "source<TAB>target", and lines of words that stand there twice. The same arguments print the same
# bytes.
#
#     scripts/pairs.sh sums [N]          sums of two numbers from 0 to N [99]; with 99, all 10,000 of
#                                        them, this is data/sumas.tsv:  7+45<TAB>52
#     scripts/pairs.sh sorting [LENGTH]  all sequences of LENGTH [6] digits 0, 1 or 2, and the same
#                                        digits in order; 729 lines if LENGTH is 6:  201102<TAB>001122
#     scripts/pairs.sh copies [N]        N [400] lines of 4 to 11 letters in a random order, all
#                                        different, and the same again; with 400, this is
#                                        data/copias.txt:  k c x p k c x p
set -eu

case ${1:-} in
sums)
    awk -v n="${2:-99}" 'BEGIN {
        for (a = 0; a <= n; a++)
            for (b = 0; b <= n; b++)
                print a "+" b "\t" a + b
    }'
    ;;
sorting)
    # The sequence is the number i in base 3; sorted, it is its zeros, its ones and its twos.
    awk -v length_="${2:-6}" 'BEGIN {
        for (i = 0; i < 3 ^ length_; i++) {
            source = ""
            split("", sorted)
            for (place = 0; place < length_; place++) {
                digit = int(i / 3 ^ place) % 3
                source = digit source
                sorted[digit] = sorted[digit] digit
            }
            print source "\t" sorted[0] sorted[1] sorted[2]
        }
    }'
    ;;
copies)
    # The random numbers are those of Park and Miller (1988): exact in every awk.
    awk -v lines="${2:-400}" '
        function draw(count) { seed = 16807 * seed % 2147483647; return seed % count }
        BEGIN {
            seed = 1
            count = split("a b c d e f g h i j k l m n o p q r s t u v w x y z", word, " ")
            while (lines--) {
                half = ""
                size = 4 + draw(8)
                for (i = 1; i <= size; i++) {
                    j = i + draw(count - i + 1)
                    drawn = word[j]; word[j] = word[i]; word[i] = drawn
                    half = half (i > 1 ? " " : "") drawn
                }
                print half " " half
            }
        }'
    ;;
*)
    echo "usage: scripts/pairs.sh sums [N] | sorting [LENGTH] | copies [N]" >&2
    exit 64
    ;;
esac

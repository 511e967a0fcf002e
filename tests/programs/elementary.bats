# What every result depends on comes from base/numbers/elementary, not from the C library.
load programs

mapfile -t FOLDERS < <(rooms | tr -s ' \t' '\n' | sed 's,/.*,,; /^$/d' | sort -u)

# calls ROOM... -- NAME...: which object files of these rooms call one of these functions, in
# double, float or long double, or vectorized (_ZGV…).
calls() {
    local rooms=()
    while [ "$1" != -- ]; do rooms+=("$BUILD/float/$1"); shift; done
    shift
    local names=$*
    find "${rooms[@]}" -name '*.o' -exec nm -A --undefined-only {} + |
        grep -E " U (_ZGV.*_)?(__)?(${names// /|})[fl]?(_finite)?(@.*)?$" || [ $? -eq 1 ]
}

FUNCTIONS="exp exp2 exp10 expm1 log log2 log10 log1p pow sin cos sincos tan asin acos atan atan2 \
sinh cosh tanh asinh acosh atanh cbrt hypot erf erfc tgamma lgamma"

@test "no room calls a function of the C library that differs between machines" {
    # report.o estimates how long a run takes.
    calls "${FOLDERS[@]}" -- $FUNCTIONS |
        grep -v '/train/report\.o:' >calls.txt || [ $? -eq 1 ]
    cat calls.txt
    [ ! -s calls.txt ]
    # The search would find them.
    [ "$(calls programs/train -- exp | grep -c '/train/report\.o:.*exp$')" = 1 ]
}

# same.bats: the bits of this build are the published ones, see tests/same/settings.sh. make same
# compares other builds.
load programs.bash
export BIN

@test "this build computes what tests/same/table.txt says" {
    "$ROOT/tests/same/settings.sh" check
}

@test "every kernel computes the same, with one thread too" {
    for kernel in avx2 portable; do
        PULGA_KERNEL=$kernel "$BIN/train" perro.txt --steps 0 --out $kernel || continue
        PULGA_KERNEL=$kernel THREADS=1 "$ROOT/tests/same/settings.sh" check plain course masked
    done
}

@test "bf16 computes the same with AVX-512" {
    PULGA_KERNEL=avx512_bf16 "$BUILD/tests/model/matrix" --has 2>/dev/null ||
        skip "this processor has no bfloat16"
    PULGA_KERNEL=avx512_bf16 "$ROOT/tests/same/settings.sh" check bf16
}

# --precision bf16, if the processor has it, and the choice of a kernel.
load programs

needs_bf16() {
    PULGA_KERNEL=avx512_bf16 "$BUILD/tests/model/matrix" --has 2>/dev/null ||
        skip "this processor has no bfloat16"
}

@test "a wrong PULGA_KERNEL is reported in one line, once a product is needed" {
    PULGA_KERNEL=none "$BIN/train" --help | grep -q Usage
    PULGA_KERNEL=none refuses 1 "PULGA_KERNEL=none is not a kernel of this machine" portable -- \
        "$BIN/train" perro.txt
}

@test "bf16 is refused where there are no instructions for it" {
    PULGA_KERNEL=portable refuses 64 "--precision bf16 needs" "f32 runs everywhere" -- \
        "$BIN/train" perro.txt --precision bf16
    PULGA_KERNEL=portable "$BIN/train" perro.txt --steps 1 | grep -q "kernel portable"
}

@test "bf16: the same bits for any number of threads, and for a resumed run" {
    needs_bf16
    same_bits "$ROOT/data/cuentos.txt" --precision bf16 --width 130 --hidden 510 --layers 1 --batch 60 \
        --steps 5 --dropout 0.1 --log-every 1
    "$BIN/train" --resume many --steps 6 | grep -qE "kernel (amx|avx512_bf16)"
    refuses 64 "--precision" -- "$BIN/train" --resume many --precision f32
}

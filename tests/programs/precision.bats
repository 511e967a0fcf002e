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
    local options="--precision bf16 --width 130 --hidden 510 --layers 1 --batch 60 --steps 4"
    options+=" --dropout 0.1 --log-every 1"
    "$BIN/train" "$ROOT/data/cuentos.txt" $options --threads 1 --out one >says.txt
    grep -qE "kernel (amx|avx512_bf16)" says.txt
    for threads in 2 3 7; do
        "$BIN/train" "$ROOT/data/cuentos.txt" $options --threads $threads --out many --overwrite \
            >/dev/null
        same_run one many
    done
    "$BIN/train" "$ROOT/data/cuentos.txt" $options --stop-after 2 --out parts >/dev/null
    "$BIN/train" --resume parts | grep -qE "kernel (amx|avx512_bf16)"
    same_run one parts
    refuses 64 "--precision" -- "$BIN/train" --resume parts --precision f32
}

# Means of the losses of every 50 steps, which are the third column.
means() {
    awk -F, '$3 ~ /[0-9]/ { sum += $3 }
             $3 ~ /[0-9]/ && ++count % 50 == 0 { printf "%.6f\n", sum / 50; sum = 0 }' "$1/log.csv"
}

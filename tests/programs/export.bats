# export.bats: the program export as a user calls it: files, refusals, a full disk. make parity runs
# what it writes in llama.cpp.
load programs.bash

# run_with OPTION...: a run made in a moment.
run_with() {
    "$BIN/train" perro.txt --steps 2 --layers 1 --width 32 --heads 2 --out run --overwrite "$@" \
        >/dev/null
}

@test "a run is written as a GGUF file, in three types" {
    run_with --activation gelu
    local before=1000000000 size
    for type in f32 f16 q8_0; do
        "$BIN/export" run a.gguf --type $type >out.txt
        [ "$(head -c 4 a.gguf)" = GGUF ]
        grep -q "^wrote  *a.gguf: 0.[0-9] MB as $type$" out.txt
        size=$(wc -c <a.gguf)
        [ "$size" -lt "$before" ]
        before=$size
    done
    # The default; the same bytes each time.
    "$BIN/export" run b.gguf >out.txt
    "$BIN/export" run c.gguf --type f32 >out.txt
    cmp b.gguf c.gguf
    grep -q '^note .* at most 8 tokens at once; llama.cpp goes on' out.txt
    grep -qx ' *llama-completion -no-cnv -n 20 -m c.gguf -p PROMPT' out.txt
    "$BIN/train" perro.txt --context 256 --activation gelu --steps 1 --out full >/dev/null
    "$BIN/export" full full.gguf >out.txt
    refutes '^note' out.txt
}

@test "a model that llama.cpp's gpt2 is not is refused, with the option of train to choose" {
    run_with --norm post --activation gelu
    refuses 1 "export: run has --norm post" -- "$BIN/export" run a.gguf
    [ ! -e a.gguf ]
    printf '▁ el\n' >bar.txt
    "$BIN/train" bar.txt --tokens char --activation gelu --steps 1 --out bar >/dev/null
    refuses 1 "U+2581" -- "$BIN/export" bar a.gguf --type f32
}

@test "only a GGUF file is replaced, or an empty one" {
    run_with --activation gelu
    cp perro.txt kept.txt
    refuses 1 "kept.txt is not a GGUF file" -- "$BIN/export" run kept.txt
    cmp perro.txt kept.txt
    printf GGU >short
    refuses 1 "short is not a GGUF file" -- "$BIN/export" run short
    : >empty
    "$BIN/export" run empty >out.txt
    "$BIN/export" run empty --type f16 >out.txt
    "$BIN/export" run /dev/stdout | head -c 4 | grep -q GGUF
}

@test "a full disk leaves the old file, and no other" {
    run_with --activation gelu
    "$BIN/export" run a.gguf >out.txt
    cp a.gguf old.gguf
    # A limit on the size of files fails in the same way, and can be set here.
    (trap '' XFSZ; ulimit -f 8; refuses 1 a.gguf -- "$BIN/export" run a.gguf --type f16)
    cmp a.gguf old.gguf
    [ "$(ls -A)" = "$(printf 'a.gguf\nerr.txt\nold.gguf\nout.txt\nperro.txt\nrun')" ]
    refuses 1 nowhere/a.gguf -- "$BIN/export" run nowhere/a.gguf
    refuses 1 . -- "$BIN/export" run .
}

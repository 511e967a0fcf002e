# windows.bats: the programs for Windows, as wine runs them. BIN comes from make windows-test.
ROOT="$BATS_TEST_DIRNAME/../.."
: "${BIN:=$ROOT/build/windows}"
export WINEPREFIX="$ROOT/build/wine" LANG=C.UTF-8
unset LC_ALL LC_MESSAGES LANGUAGE

# call PROGRAM ARGUMENT...
call() {
    "$BATS_TEST_DIRNAME/wine.sh" "$BIN/$1" "${@:2}"
}

# fails STATUS LINE PROGRAM ARGUMENT...: one line, which begins so, and the status.
fails() {
    local status=$1 line=$2 code=0
    shift 2
    call "$@" >out.txt 2>err.txt </dev/null || code=$?
    cat err.txt
    [ "$code" = "$status" ]
    [ "$(wc -l <err.txt)" = 1 ]
    [[ $(cat err.txt) == "$line"* ]]
}

setup_file() {
    "$BATS_TEST_DIRNAME/wine.sh" "$BIN/train" --version # makes wine's folder
}

setup() {
    mkdir -p "$BATS_TEST_TMPDIR/mi año"
    cd "$BATS_TEST_TMPDIR/mi año"
    cp "$ROOT/data/perro.txt" niño.txt
    drive='Z:'$(printf '%s' "$PWD" | tr / '\\')
}

@test "the settings of make same give the same bits" {
    cd "$BATS_TEST_TMPDIR"
    RUN=$BATS_TEST_DIRNAME/wine.sh "$ROOT/tests/same/settings.sh" check \
        plain post course words patterns subwords pairs sums masked from resumed
}

@test "each kernel gives the same model" {
    for kernel in portable avx2 avx512; do
        ! grep -qw "${kernel/512/512f}" /proc/cpuinfo && [ $kernel != portable ] && continue
        PULGA_KERNEL=$kernel call train niño.txt --out $kernel >out.txt
        grep -q "kernel $kernel" out.txt
        grep -q '^model   e934a89039392319' out.txt
    done
}

@test "paths have backslashes, drives, spaces and letters beyond ASCII" {
    mkdir datos
    mv niño.txt datos
    call train 'datos\niño.txt' --steps 20 --out "$drive\\runs\\a\\ñ" >out.txt
    [ -s runs/a/ñ/model.safetensors ]
    call attend 'runs\a\ñ' el perro come -o "$drive\\mi atención.html" >out.txt
    grep -q '</html>' 'mi atención.html'
    call sample 'runs\a\ñ' 'el\perro' --json | jq -r .prompt >out.txt || true
    [ "$(cat out.txt)" = 'el\perro' ] # a backslash of a text stays one
    ! ls -a runs/a/ñ | grep -q '\.new$'
}

@test "a run is stopped by Ctrl-C, and goes on to the model of one that was not" {
    call train niño.txt --steps 3000 --out whole | grep '^model  ' >whole.txt
    call train niño.txt --steps 3000 --out parts >out.txt &
    local shell=$! tries=0
    until [ "$(grep -c '^ *[0-9]*  0' out.txt)" -gt 1 ]; do
        sleep 0.2
        [ $((tries += 1)) -lt 300 ]
    done
    pkill -INT -f -- "train.exe niño.txt --steps 3000 --out parts"
    local status=0
    wait "$shell" || status=$?
    [ "$status" = 130 ]
    grep -q '^stopped by Ctrl-C after step' out.txt
    call train --resume parts | grep '^model  ' >resumed.txt
    diff whole.txt resumed.txt
}

@test "a run whose output nobody reads any more is saved and ends" {
    (call train niño.txt --json --steps 100000 --schedule constant --out run && echo 0 || echo $? >status.txt) | head -n 1
    [ "$(cat status.txt)" = 141 ]
    [ -s run/state.safetensors ]
}

@test "runs are verified and compared, each in a process of its own" {
    call train niño.txt --steps 20 --out one >out.txt
    call train niño.txt --steps 20 --seed 2 --out two >out.txt
    call train --compare one two >out.txt
    grep -q '^two .* no ' out.txt
    zip -qr two.zip two
    call train --verify one two.zip >out.txt
    grep -q '^verify  the same, bit by bit: 2 of 2' out.txt
    printf x | dd of=two/model.safetensors bs=1 seek=3000 conv=notrunc status=none
    call train --verify two one >out.txt 2>err.txt && false
    grep -q '^verify  the same, bit by bit: 1 of 2' out.txt
    [ "$(cat err.txt)" = 'train: two/model.safetensors is damaged: it does not match its checksum' ]
}

@test "a model is exported, and prompts come from a pipe" {
    call train niño.txt --steps 20 --activation gelu --positions learned --out run >out.txt
    call export run 'ñ.gguf' >out.txt
    [ "$(head -c 4 ñ.gguf)" = GGUF ]
    printf 'el perro\r\nun gato\n' | call sample run --json >out.txt
    [ "$(jq -r .prompt out.txt | tr '\n' ,)" = 'el perro,un gato,' ]
}

@test "mistakes are told in one line, with the status of other systems" {
    fails 64 "train: give a TEXT" train
    fails 64 "train: unrecognized option '--foo'" train --foo
    fails 1 "train: cannot open nada.txt: No such file or directory" train nada.txt
    fails 1 "train: . is a directory" train .
    mkdir runs
    fails 1 "sample: runs/no does not exist" sample 'runs\no'
    fails 64 "attend: " attend
    fails 64 "export: " export
    call train niño.txt --steps 2 --out run >out.txt
    fails 1 "train: run holds a run already" train niño.txt --steps 2 --out run
}

@test "the programs speak Spanish" {
    LANG=es_ES.UTF-8 call train nada.txt 2>err.txt && false
    [ "$(cat err.txt)" = 'train: no se puede abrir nada.txt: No existe el fichero o el directorio' ] ||
        grep -q '^train: no se puede abrir nada.txt: ' err.txt
}

@test "each program is one file that needs only what Windows has" {
    for program in train sample attend export; do
        x86_64-w64-mingw32-objdump -p "$BIN/$program.exe" | sed -n 's/.*DLL Name: //p' |
            tr A-Z a-z | grep -vxE '(kernel32|msvcrt|advapi32|api-ms-win-core-synch-l1-2-0).dll' >dlls.txt && false
        [ ! -s dlls.txt ]
    done
}

# The lines of a disassembly that move 32 or 64 aligned bytes to or from the stack, which Windows
# aligns to 16: there gcc may end the program (its bug 54412).
aligned_moves() {
    grep -E 'vmov(ap[sd]|dqa(32|64)?|ntp[sd]|ntdqa?) .*[(]%r[sb]p' | grep -E '%[yz]mm' || true
}

@test "no vector is moved to or from the stack as if it were aligned" {
    printf 'vmovaps %%ymm0,0x20(%%rsp)\nvmovups %%ymm0,(%%rsp)\nvmovdqa64 -64(%%rbp),%%zmm1\n' >moves.txt
    [ "$(aligned_moves <moves.txt | wc -l)" = 2 ]
    for program in train sample attend export; do
        x86_64-w64-mingw32-objdump -d --no-show-raw-insn "$BIN/$program.exe" >code.txt
        grep -q ymm code.txt
        aligned_moves <code.txt >moves.txt
        [ ! -s moves.txt ]
    done
}

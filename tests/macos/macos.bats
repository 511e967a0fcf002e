# macos.bats: what the programs and wheels for macOS hold, which nothing here can run. BUILD comes from
# make macos-test.
ROOT="$BATS_TEST_DIRNAME/../.."
: "${BUILD:=$ROOT/build}"
PROGRAMS=$(sed -n 's/^NAMES = //p' "$ROOT/Makefile")
KINDS="arm64 x86_64"

# install KIND SYSTEM: the wheel of this kind, as pip does on such a system.
install() {
    "$BUILD/wheel/venv/bin/pip" install --quiet --no-deps --only-binary :all: --platform "macosx_$2" \
        --target "$BATS_TEST_TMPDIR/$1" "$BUILD/wheel/macosx_11_0_$1"/pulga-*.whl
}

# into KIND: the folder that it is then in.
into() { cd "$BATS_TEST_TMPDIR/$1/pulga/bin"; }

@test "pip takes each wheel on its machine, macOS 11 or later, and only there" {
    for kind in $KINDS; do
        install $kind 15_0_$kind
        into $kind
        for program in $PROGRAMS; do [ -x $program ]; done
        [ "$(ls ../licenses | tr '\n' ' ')" = "libcjson-dev.txt libstb-dev.txt libutf8proc-dev.txt libxxhash-dev.txt llvm.txt zig.txt " ]
    done
    install arm64 10_15_arm64 && false
    install arm64 11_0_x86_64 && false
    install x86_64 11_0_arm64 && false
    true
}

@test "each program needs only macOS 11, and OpenMP from its own folder" {
    for kind in $KINDS; do
        install $kind 11_0_$kind
        into $kind
        for program in $PROGRAMS libomp.dylib; do
            llvm-objdump --macho --dylibs-used $program | sed -n 's/^\t\([^ ]*\).*/\1/p' | LC_ALL=C sort >used.txt
            [ "$(paste -s used.txt)" = $'/usr/lib/libSystem.B.dylib\t@rpath/libomp.dylib' ]
            llvm-readobj --file-headers --macho-version-min $program >about.txt
            grep -q "^Arch: ${kind/arm64/aarch64}\$" about.txt
            grep -qE '^ *Version: (10|11\.0)' about.txt
        done
        llvm-objdump --macho --dylibs-used libpulga.so | sed -n 's/^\t\([^ ]*\).*/\1/p' >used.txt
        [ "$(grep -v libpulga.so used.txt)" = /usr/lib/libSystem.B.dylib ]
        [ "$(llvm-nm -g --defined-only libpulga.so | grep -vcE ' _(pulga_|__dso_handle|_mh_dylib_header)')" = 0 ]
        llvm-nm -g --defined-only libpulga.so | grep -q ' _pulga_gradients$'
        for program in $PROGRAMS; do
            llvm-objdump --macho --private-headers $program | grep -q 'path @loader_path '
        done
    done
}

@test "what an ARM processor is to run is signed" {
    install arm64 11_0_arm64
    into arm64
    for program in $PROGRAMS libpulga.so libomp.dylib; do
        llvm-objdump --macho --private-headers $program | grep -q LC_CODE_SIGNATURE
    done
}

@test "nothing that computes a model calls a function that rounds" {
    for kind in $KINDS; do
        NM=llvm-nm OBJECTS=$BUILD/macos/$kind bats -f 'the C library that rounds' "$ROOT/tests/programs/rooms.bats"
    done
}

# zig's __cpu_model is empty: macos.c fills it in.
@test "what the kernels for Intel ask for is what macos.c finds out" {
    cd "$BUILD/macos/x86_64"
    for file in base/system/macos.o model/matrix/kernels/avx2.o model/matrix/kernels/avx512.o; do
        llvm-nm $file | grep -q ' U ___cpu_model$'
    done
}

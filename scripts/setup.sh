#!/bin/sh
# setup.sh         prints in one line what is missing to build the programs; status 1 if anything is
# setup.sh GOAL    installs what `make GOAL` needs, with apt-get, as root or by sudo
#
# CC is the compiler that will be used; OPENMP=0 builds without threads, MPI=1 with MPI. On a system
# without apt-get both forms print the packages' Debian names.
set -eu

# Each package, what shows that it is installed (a <header>, a command, or "dpkg": ask dpkg), and
# the goals that need it. "build" is everything that compiles.
packages='
libc6-dev                  <stdio.h>              build
libxxhash-dev              <xxhash.h>             build
libstb-dev                 <stb/stb_ds.h>         build
libutf8proc-dev            <utf8proc.h>           build
libcjson-dev               <cjson/cJSON.h>        build
libedit-dev                <editline/readline.h>  build
libcmocka-dev              <cmocka.h>             test sanitize tsan valgrind torture parity
bats                       bats                   test sanitize tsan
groff-base                 groff                  test sanitize
gettext                    xgettext               test sanitize
jq                         jq                     test sanitize
libxml2-utils              xmllint                test sanitize
debootstrap                debootstrap            fresh
clang                      clang                  fuzz tsan same
libclang-rt-dev            dpkg                   fuzz tsan
valgrind                   valgrind               valgrind
libomp-dev                 dpkg                   tsan analyze same
libopenmpi-dev             mpicc                  mpi
openmpi-bin                mpirun                 mpi
gcc                        gcc                    analyze same
clang-tidy                 clang-tidy             analyze
cppcheck                   cppcheck               analyze
clang-format               clang-format           analyze format
chromium                   chromium               browser
firefox-esr                firefox-esr            browser
fonts-dejavu-core          dpkg                   browser
python3                    python3                browser parity wheel
python3-venv               dpkg                   wheel
build-essential            dpkg                   deb
clang-19                   clang-19               lab
lld-19                     wasm-ld-19             lab
wasi-libc                  dpkg                   lab
libclang-rt-19-dev-wasm32  dpkg                   lab
dpkg-dev                   dpkg-source            lab
dpkg-dev                   dpkg-source            macos
gcc-mingw-w64-x86-64-posix x86_64-w64-mingw32-gcc-posix  windows
dpkg-dev                   dpkg-source            windows
zip                        zip                    windows
llvm                       llvm-readobj           macos-test
bats                       bats                   macos-test
wine                       wine                   windows-test
wine64                     dpkg                   windows-test
bats                       bats                   windows-test
debhelper                  dh                     deb
lintian                    lintian                deb
git                        git                    deb
mandoc                     mandoc                 deb
zsh                        zsh                    deb
gcc-aarch64-linux-gnu      dpkg                   aarch64 same
qemu-user-static           dpkg                   aarch64 same
libc6-dev:arm64            dpkg                   aarch64 same
libgomp1:arm64             dpkg                   aarch64 same
libxxhash-dev:arm64        dpkg                   aarch64 same
libstb-dev:arm64           dpkg                   aarch64 same
libutf8proc-dev:arm64      dpkg                   aarch64 same
libcjson-dev:arm64         dpkg                   aarch64 same
libedit-dev:arm64          dpkg                   aarch64 same
libcmocka-dev:arm64        dpkg                   aarch64
'

# Ubuntu has no firefox-esr: there make browser leaves Firefox out, in one line.
if grep -qs '^ID.*ubuntu' /etc/os-release; then
    packages=$(echo "$packages" | grep -v '^firefox-esr')
fi

: "${CC:=cc}" "${OPENMP:=1}" "${MPI:=0}"
compiler=${CC%% *}

installed() { # PACKAGE SIGN
    case $2 in
        '<'*) printf '#if !__has_include(%s)\n#error\n#endif\n' "$2" | $CC -E -x c - >/dev/null 2>&1 ;;
        dpkg) ! command -v dpkg >/dev/null || dpkg -s "$1" >/dev/null 2>&1 ;;
        *) command -v "$2" >/dev/null ;;
    esac
}

# Prints the packages that are missing for these goals.
missing_for() { # GOAL...
    command -v "$compiler" >/dev/null ||
        case $compiler in *clang*) echo clang ;; *) echo gcc ;; esac
    if [ "$OPENMP" != 0 ] && ! installed '' '<omp.h>'; then
        case $compiler in *clang*) echo libomp-dev ;; esac
    fi
    echo "$packages" | while read -r package sign goals; do
        for goal; do
            case " $goals " in
                *" $goal "*) installed "$package" "$sign" || echo "$package" ;;
            esac
        done
    done
}

fail() {
    echo "setup: $*" >&2
    exit 1
}

goal=${1:-build}
case $MPI in 1) mpi=mpi ;; *) mpi= ;; esac
[ -n "$(missing_for build $mpi "$goal")" ] || exit 0

# Something is missing, so all that make, make demo and make test need is asked for at once.
missing=$(missing_for build test $mpi "$goal" | sort -u | tr '\n' ' ')
missing=${missing% }
why='some packages are missing'
command -v "$compiler" >/dev/null || why="the compiler $compiler is missing"
case $goal$missing in build*libomp-dev*) why="$why (libomp-dev: or build with OPENMP=0)" ;; esac

command -v apt-get >/dev/null || fail "$why: please install what Debian calls $missing"
case $missing in
    *:arm64*) commands='dpkg --add-architecture arm64 && ' ;;
    *) commands= ;;
esac
commands="${commands}apt-get update && apt-get install -y $missing"
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
    by_hand="sudo $(echo "$commands" | sed 's/&& /&sudo /g')"
else
    fail "$why; as root, call: $commands"
fi
[ "$goal" != build ] || fail "$why; call 'make setup${mpi:+ MPI=1}', or: ${by_hand:-$commands}"

echo "setup: installing $missing"
# sudo is called once and writes to the terminal; what apt-get prints matters only if it fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
$as_root env DEBIAN_FRONTEND=noninteractive sh -ec "exec >'$log' 2>&1
    $(echo "$commands" | sed 's/apt-get install/& -q --no-install-recommends/')" || status=$?
[ "$status" = 0 ] || {
    tail -n 10 "$log" >&2
    fail "this failed with status $status: ${by_hand:-$commands}"
}

#!/bin/sh
# Installs the Debian packages that are missing, and nothing that is there.
#   setup.sh build   what the programs need
#   setup.sh test    that, and what their tests need
#   setup.sh fuzz    what the programs need, and clang
#   setup.sh browser that of build, and what make browser needs
#   setup.sh tsan, setup.sh valgrind, setup.sh analyze, setup.sh aarch64
#                    what make needs for these beyond that of test
set -eu

missing=
header() { # PACKAGE HEADER
    echo "#include <$2>" | ${CC:-cc} -E - >/dev/null 2>&1 || missing="$missing $1"
}
header libxxhash-dev xxhash.h
header libstb-dev stb/stb_ds.h
header libutf8proc-dev utf8proc.h
header libcjson-dev cjson/cJSON.h
header libedit-dev editline/readline.h
if [ "${1:-build}" = test ]; then
    header libcmocka-dev cmocka.h
    command -v bats >/dev/null 2>&1 || missing="$missing bats"
fi
if [ "${1:-build}" = fuzz ]; then
    command -v clang >/dev/null 2>&1 || missing="$missing clang"
fi
if [ "${1:-build}" = browser ]; then
    command -v chromium >/dev/null 2>&1 || missing="$missing chromium fonts-dejavu-core"
    command -v python3 >/dev/null 2>&1 || missing="$missing python3"
fi
packages() {
    command -v dpkg >/dev/null 2>&1 || return 0 # elsewhere make itself will say what is not there
    for package; do dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"; done
}
case ${1:-build} in
    tsan) packages clang libomp-dev ;;
    valgrind) packages valgrind ;;
    analyze) packages gcc clang-tidy libomp-dev cppcheck ;;
    aarch64) packages gcc-aarch64-linux-gnu qemu-user-static libc6-dev:arm64 libgomp1:arm64 \
        libxxhash-dev:arm64 libstb-dev:arm64 libutf8proc-dev:arm64 libcjson-dev:arm64 \
        libedit-dev:arm64 libcmocka-dev:arm64 ;;
esac
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: please install what Debian calls$missing, then call make again" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: please call, as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "setup: installing$missing"
case $missing in *:arm64*) $as_root dpkg --add-architecture arm64 ;; esac
install_missing() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $missing >/dev/null
}
# On a fresh machine the list of packages is empty: then ask for it, once.
install_missing 2>/dev/null || { $as_root apt-get update -qq && install_missing; }

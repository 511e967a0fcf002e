#!/bin/sh
# Installs the Debian packages that are missing, and nothing that is there.
#   setup.sh build   what the programs need
#   setup.sh test    that and what the tests need
set -eu

packages=
# A header or a program stands for its package.
want() {
    if [ -e "$2" ] || command -v "$2" >/dev/null 2>&1; then return; fi
    packages="$packages $1"
}
want libxxhash-dev /usr/include/xxhash.h
want libstb-dev /usr/include/stb/stb_ds.h
want libutf8proc-dev /usr/include/utf8proc.h
want libcjson-dev /usr/include/cjson/cJSON.h
if [ "${1:-build}" = test ]; then
    want libcmocka-dev /usr/include/cmocka.h
    want bats bats
fi
[ -n "$packages" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: please install what Debian calls$packages, then call make again" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "setup: as root, please call: apt-get install$packages" >&2
        exit 1
    fi
    as_root=sudo
fi
echo "setup: installing$packages"
# A list of packages that is missing or too old shows as a failed installation: then ask anew.
install_them() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends $packages >/dev/null
}
install_them 2>/dev/null || { $as_root apt-get update -qq && install_them; }

#!/bin/sh
# lab_sources.sh FOLDER   fetches the sources of Debian's packages of utf8proc and cJSON, which have no
# package for WebAssembly, into FOLDER/utf8proc and FOLDER/cjson. Needs no root, and leaves the
# system's own lists of packages alone.
set -eu
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial"
cd "$1"
[ ! -e cjson/cJSON.c ] || [ ! -e utf8proc/utf8proc.c ] || exit 0

# The archives that the system uses, for sources.
{
    cat /etc/apt/sources.list 2>/dev/null | sed -n 's/^deb /deb-src /p'
} >apt/sources.list
mkdir -p apt/parts
for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/${list##*/}"
done
apt="apt-get -q -o Dir::State::lists=$PWD/apt/lists -o Dir::Cache=$PWD/apt/cache
    -o Dir::Etc::sourcelist=$PWD/apt/sources.list -o Dir::Etc::sourceparts=$PWD/apt/parts
    -o APT::Sandbox::User=root"

# source_of PACKAGE: the version that is installed. If the archive has dropped it, that of the Debian
# release before this one, whose tables of characters are those of an earlier Unicode.
source_of() {
    version=$(dpkg-query -W -f '${source:Version}\n' "lib$1-dev" | head -n 1)
    $apt source "$1=$version" && return
    echo "lab: the archive has no sources of $1 $version: those of the release before are used" >&3
    archive=$(sed -n 's/^\(deb-src\|URIs:\) *\(\[.*\] *\)*\(http[^ ]*\).*/\3/p' apt/sources.list apt/parts/* |
        head -n 1)
    echo "deb-src $archive oldstable main" >>apt/sources.list
    $apt update && $apt source "$1/oldstable"
}
exec 3>&2
{
    $apt update && source_of utf8proc && source_of cjson
} >apt/log 2>&1 || { tail -n 5 apt/log >&2; echo "lab: Debian's sources cannot be fetched" >&2; exit 1; }
rm -rf utf8proc cjson
mv utf8proc-*/ utf8proc
mv cjson-*/ cjson

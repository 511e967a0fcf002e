#!/bin/sh
# wine.sh PROGRAM ARGUMENT...   runs PROGRAM.exe in wine, with a folder of wine's own in build
program=$1
shift
export WINEDEBUG=-all WINEPREFIX="${WINEPREFIX:-$(cd "$(dirname "$0")/../.." && pwd)/build/wine}"
exec wine "$program.exe" "$@"

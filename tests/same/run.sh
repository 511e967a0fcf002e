#!/usr/bin/env bash
# run.sh [FILE]  builds the programs in every way that FILE lists (builds.txt), and compares what
# they compute with table.txt. A line for each: the compiler, its flags, the kernel of the matrix
# products, the threads, and "same" or the settings that differ. Status 1 if any does.
set -euo pipefail
cd "$(dirname "$0")/../.."
list=${1:-tests/same/builds.txt}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# Sets the variables of make for a compiler.
toolchain() { # CC
    tools=(CC="$1")
    run=
    case $1 in
        aarch64-*)
            tools+=(AR=aarch64-linux-gnu-ar)
            run=qemu-aarch64-static
            ;;
    esac
}

# Whether this machine has the kernel.
has_kernel() { # KERNEL
    local code=0
    PULGA_KERNEL=$1 $run "$bin/train" data/perro.txt --steps 0 --out "$work/untrained" --overwrite \
        >"$work/said" 2>&1 || code=$?
    [ $code = 0 ] || ! grep -q 'not a kernel of this machine' "$work/said"
}

report() { # KERNEL THREADS WHAT
    printf '%-24s %-3s -march=%-10s OpenMP %s  %-11s %-2s %s\n' \
        "$version" "$level" "$arch" "$openmp" "$1" "$2" "$3"
}

echo "table.txt against:"
while read -r compiler level arch openmp runs; do
    toolchain "$compiler"
    build=$PWD/build/same/$(basename "$compiler")$level-$arch-$openmp
    bin=$build/bin
    version="$(basename "$compiler") $($compiler -dumpfullversion 2>/dev/null ||
        $compiler -dumpversion)"
    make -j"$(nproc)" "${tools[@]}" OPENMP="$openmp" BUILD="$build" BIN="$bin" SANITIZE= \
        CFLAGS="$level -march=$arch" </dev/null >"$work/made" 2>&1 ||
        { report - - 'NOT BUILT:' && tail -n 5 "$work/made" && status=1 && continue; }
    for one in $runs; do
        IFS=/ read -r kernel threads settings <<<"$one"
        if ! has_kernel "$kernel"; then
            report "$kernel" "$threads" 'not on this machine'
            continue
        fi
        said=$(BIN=$bin RUN=$run PULGA_KERNEL=$kernel THREADS=$threads \
            tests/same/settings.sh check ${settings//,/ } 2>&1) || status=1
        report "$kernel" "$threads" "$said"
    done
done < <(grep -v '^#' "$list")
exit $status

#!/usr/bin/env bash
# fresh.sh SUITE    types the commands of README in a Debian that has nothing: `make demo` and `make
# test`, after no more than `apt-get install git make`. SUITE is bookworm, trixie or another release
# that debootstrap knows. As root, for some 300 MB in /var/tmp, which are removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=$1

scripts/setup.sh fresh

# What is mounted here is gone when this process ends.
[ "${FRESH_MOUNTS:-}" ] || FRESH_MOUNTS=own exec unshare --mount --propagation private "$0" "$@"

root=$(mktemp -d -p /var/tmp pulga-fresh.XXXXXX)
chmod 755 "$root" # for the user that apt-get downloads as
leave() {
    umount -lR "$root/dev" 2>/dev/null || true
    umount -l "$root/proc" 2>/dev/null || true
    # Never what is mounted there.
    mountpoint -q "$root/dev" || rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

# A login shell in the root, with nothing of this machine but /proc and /dev.
in_root() {
    chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -ec "$1" </dev/null
}

debootstrap --variant=minbase "$suite" "$root" >"$root.log" ||
    { tail -n 5 "$root.log"; rm -f "$root.log"; echo "fresh: debootstrap $suite failed"; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --make-rslave "$root/dev"
git clone -q --no-hardlinks . "$root/root/pulga"
in_root 'apt-get update -qq && apt-get install -y -qq git make >/dev/null 2>&1'
in_root 'cd ~/pulga && . /etc/os-release && echo "$PRETTY_NAME:" && make demo'
in_root 'cd ~/pulga && make test'

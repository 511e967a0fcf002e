# install.bats: what make install leaves behind.
load programs.bash

@test "installed programs are called pulga-train, pulga-sample, pulga-attend and name each other" {
    mkdir bin
    for name in train sample attend; do ln -s "$BIN/$name" "bin/pulga-$name"; done
    export PATH="$WORK/bin:$PATH"
    pulga-train perro.txt --steps 2 --out run >out.txt
    grep -qx ' *pulga-sample run' out.txt
    grep -qx ' *pulga-train --resume run --steps 4' out.txt
    pulga-sample run el >out.txt
    pulga-attend run el >out.txt
}

@test "make install takes a PREFIX with blanks and a DESTDIR" {
    [ -x "$ROOT/train" ] || skip "not built in place"
    make -C "$ROOT" -o all install PREFIX="/a b" DESTDIR="$WORK/root" >out.txt
    [ "$(ls "$WORK/root/a b/bin" | tr '\n' ' ')" = "pulga-attend pulga-sample pulga-train " ]
    refuses 64 "pulga-train: " -- "$WORK/root/a b/bin/pulga-train" --no-such-option
}

# tiny.bats: all of training on one page.
load programs.bash

@test "tiny.c trains the model of ./train on one page, and ./sample opens it" {
    [ "$(wc -l <"$ROOT/tiny.c")" -le 75 ]
    ln -s "$ROOT/data" .
    "$BIN/tiny" >tiny.txt
    "$BIN/train" data/perro.txt >train.txt
    [ "$(tail -n 1 tiny.txt)" = "$(sed -n 's/^model   \([0-9a-f]*\), the checksum.*/model \1/p' train.txt)" ]
    "$BIN/sample" runs/tiny el --json | grep -q '"token": *"muchacho"'
    "$BIN/attend" runs/tiny el perro come | grep -q "perro"
}

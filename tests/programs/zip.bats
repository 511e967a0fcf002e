# zip.bats: runs that are read from a .zip, and those of a whole class.
load programs.bash

# number SIZE NUMBER: its bytes, the lowest first.
number() {
    local i
    for ((i = 0; i < $1; i++)); do printf "\\x$(printf %02x $(($2 >> 8 * i & 255)))"; done
}

# what a .zip says of a file twice: FLAGS, METHOD and CLAIM, a size, may be lies.
about() {
    number 2 20; number 2 ${FLAGS:-0}; number 2 ${METHOD:-8}; number 4 0
    tail -c 8 packed.gz | head -c 4
    number 4 $(($(stat -c %s packed.gz) - 18)); number 4 "${CLAIM:-$(stat -c %s "$2")}"
    number 2 ${#1}; number 2 0
}

# zipped ZIP NAME=FILE...: a .zip of these files. gzip's file has the same compressed bytes, after a
# header of 10; their checksum and size are its last eight.
zipped() {
    local zip=$1 at=0 name file pair
    shift
    : >"$zip"
    : >list.bin
    for pair; do
        name=${pair%%=*} file=${pair#*=}
        gzip -nc9 "$file" >packed.gz
        { printf 'PK\3\4'; about "$name" "$file"; printf %s "$name"; head -c -8 packed.gz | tail -c +11; } >>"$zip"
        { printf 'PK\1\2'; number 2 20; about "$name" "$file"; number 10 0; number 4 $at; printf %s "$name"; } >>list.bin
        at=$(stat -c %s "$zip")
    done
    { cat list.bin; printf 'PK\5\6'; number 4 0; number 2 $#; number 2 $#
      number 4 "$(stat -c %s list.bin)"; number 4 $at; number 2 0; } >>"$zip"
    rm list.bin packed.gz
}

# zip_run ZIP FOLDER RUN [NAME=FILE...]: all files of a run, in a folder, and others.
zip_run() {
    local zip=$1 folder=$2 run=$3 files=() file
    shift 3
    for file in "$run"/*; do files+=("$folder${file##*/}=$file"); done
    zipped "$zip" "${files[@]}" "$@"
}

trained() {
    local name=$1
    shift
    "$BIN/train" perro.txt --steps 12 --eval-every 4 --out "$name" "$@" >/dev/null
}

@test "a run is read from its .zip, whoever zipped it, and nothing is left behind" {
    trained run
    zip_run ana.zip ana/ run
    printf '\0\5\26\7' >resource # as macOS adds them
    zip_run mac.zip 'ana/' run __MACOSX/ana/._config.json=resource ana/.DS_Store=resource
    zip_run windows.zip 'ana\ana\' run
    zip_run BARE.ZIP '' run 'answers.doc=resource'
    "$BIN/sample" run el --count 3 >wanted.txt
    mkdir temporary
    ls -A . temporary >before.txt
    for zip in ana.zip mac.zip windows.zip BARE.ZIP; do
        TMPDIR=$PWD/temporary "$BIN/sample" $zip el --count 3 >out.txt
        cmp wanted.txt out.txt
        TMPDIR=$PWD/temporary "$BIN/train" --verify $zip >out.txt
        tail -n 1 out.txt | grep -q "^verify  the same, bit by bit: 4 rows"
        rm out.txt
        ls -A . temporary | cmp before.txt -
    done
    "$BIN/attend" ana.zip "un gato" >zip.txt
    "$BIN/attend" run "un gato" | cmp - zip.txt
}

@test "--verify of several runs prints a line for each, and goes on after an error" {
    trained run
    trained other --seed 2
    sed -i 's/perro/gata/' other/text.txt
    zip_run ana.zip ana/ run
    zip_run luis.zip luis/ other
    head -c 3000 ana.zip >cut.zip
    awk '$1 == 8 { sub(/.$/, /0$/ ? "1" : "0") } { print }' run/receipt.txt >receipt.txt
    rm other/receipt.txt
    cp -r run changed
    cp receipt.txt changed
    code=0
    dying "$BIN/train" --verify ana.zip luis.zip cut.zip changed run >out.txt 2>err.txt || code=$?
    [ $code -eq 1 ]
    cat >wanted.txt <<'END'
ana.zip   the same, bit by bit: 4 rows, from step 0 to step 12
changed   differs between step 4 and step 8: the best weights
run       the same, bit by bit: 4 rows, from step 0 to step 12
verify  the same, bit by bit: 2 of 5
END
    cmp out.txt wanted.txt
    cat >wanted.txt <<'END'
train: luis.zip/text.txt is not the text that luis.zip/receipt.txt was trained on
train: cut.zip is damaged, or is not a .zip
END
    cmp err.txt wanted.txt
    "$BIN/train" --verify ana.zip run perro.txt --threads 2 >out.txt # a text for all
    [ "$(grep -c 'the same, bit by bit: 4 rows' out.txt)" -eq 2 ]
}

@test "--compare of a class: one table, the same model or not, mean, and CSV" {
    trained ana --val 0.3
    trained luis --val 0.3
    trained eva --val 0.3 --lr-factor 0.1
    for name in ana luis; do zip_run $name.zip $name/ $name; done
    echo no >no.zip
    code=0
    dying "$BIN/train" --compare ana.zip luis.zip no.zip eva >out.txt 2>err.txt || code=$?
    [ $code -eq 1 ]
    [ "$(cat err.txt)" = "train: no.zip is damaged, or is not a .zip" ]
    sum=$(awk 'END { print $5 }' ana/receipt.txt)
    grep -qE "^ana.zip +[0-9.]+ .* $sum  yes    lr-factor 0.3$" out.txt
    grep -qE "^luis.zip .* $sum  yes    lr-factor 0.3$" out.txt
    grep -qE "^eva .* [0-9a-f]{16}  no     lr-factor 0.1$" out.txt
    refutes -E "^eva .* $sum" out.txt
    refutes "^mean" out.txt
    # A mean of what differs by the seed only.
    trained iris --val 0.3 --seed 2
    "$BIN/train" --compare ana.zip iris >out.txt
    wanted=$(awk '/^(ana|iris)/ { l[++n] = $2; sum += $2 }
        END { mean = sum / n; for (i in l) s += (l[i] - mean) ^ 2
              printf "mean    %.6f, standard deviation %.6f, of 2 runs", mean, sqrt(s / (n - 1)) }' out.txt)
    grep -qxF "$wanted" out.txt
    "$BIN/train" --compare ana.zip | refutes mean -
    "$BIN/train" --compare ana.zip luis eva -o a.csv >/dev/null
    "$BIN/train" --compare ana.zip luis eva -o -.csv | cmp - a.csv
    cut -d, -f 1,3,7,8,10- a.csv >out.txt
    cat >wanted.txt <<END
run,comparable,model,same_model,lr-factor
"ana.zip",1,$sum,1,"0.3"
"luis",1,$sum,1,"0.3"
"eva",1,$(awk 'END { print $5 }' eva/receipt.txt),0,"0.1"
END
    cmp out.txt wanted.txt
    cut -d, -f 2 a.csv | grep -qx "$(sed -n 's/.*"best_loss":[^0-9]*\([0-9.]\{9\}\).*/\1/p' eva/config.json)[0-9]*"
    "$BIN/train" --compare ana luis -o a.csv >/dev/null # replaces its own
    echo mine >mine.csv
    refuses 1 mine.csv "not written by train" -- "$BIN/train" --compare ana -o mine.csv
}

@test "a table of --compare is never wider than 140 columns, in a pipe" {
    name=$(printf 'n%.0s' {1..90})
    trained "$name"
    trained short --tokens char --layers 3 --width 48 --heads 3 --schedule cosine --lr 0.002 --clip 0.5 --seed 3
    "$BIN/train" --compare "$name" short >out.txt
    [ "$(wc -L <out.txt)" -lt 140 ]
    grep -q "^    tokens word .* seed 1" <(tr -s '\n ' ' ' <out.txt | sed 's/ tokens/\n    tokens/g')
}

@test "a .zip that is damaged or strange is refused in one line" {
    trained run
    zip_run ana.zip ana/ run
    refuses_zip() {
        local wanted=$1
        refuses 1 "$2" "$wanted" -- "$BIN/sample" "$2" el
        refuses 1 "$2" "$wanted" -- "$BIN/train" --verify "$2"
    }
    : >empty.zip
    refuses_zip "damaged, or is not a .zip" empty.zip
    head -c 200000 ana.zip >cut.zip
    refuses_zip "damaged, or is not a .zip" cut.zip
    { head -c 200 ana.zip; printf 'X'; tail -c +202 ana.zip; } >byte.zip # in the first file, README.md
    "$BIN/sample" byte.zip el >/dev/null # which is not read
    offset=$(grep -abo -m 1 ana/config.json ana.zip | cut -d: -f 1)
    { head -c $((offset + 40)) ana.zip; printf 'XXX'; tail -c +$((offset + 44)) ana.zip; } >byte.zip
    refuses 1 "byte.zip is damaged: config.json is not what was zipped" -- "$BIN/sample" byte.zip el
    zipped none.zip perro.txt=perro.txt
    refuses_zip "no config.json" none.zip
    zip_run two.zip ana/ run luis/config.json=run/config.json
    refuses_zip "more than one run in it, ana/ and luis/" two.zip
    for name in ../evil /etc/evil 'ana\..\..\evil'; do
        zip_run out.zip ana/ run "$name=perro.txt"
        refuses_zip "leads out of its folder" out.zip
    done
    FLAGS=1 zip_run secret.zip ana/ run
    refuses 1 secret.zip "needs a password" -- "$BIN/sample" secret.zip el
    METHOD=14 zip_run lzma.zip ana/ run
    refuses 1 lzma.zip "(method 14)" -- "$BIN/sample" lzma.zip el
    CLAIM=$((300 << 20)) zip_run large.zip ana/ run
    refuses 1 large.zip "has 300 MB" -- "$BIN/sample" large.zip el
    head -c 300000000 /dev/zero >zeros # which nobody asked for
    zip_run bomb.zip ana/ run ana/zeros=zeros
    "$BIN/sample" bomb.zip el >/dev/null
    cp ana.zip kept.zip
    refuses 1 ana.zip "unpack it" -- "$BIN/train" --resume ana.zip
    refuses 1 ana.zip "unpack it" -- "$BIN/train" perro.txt --out ana.zip --overwrite
    cmp ana.zip kept.zip
}

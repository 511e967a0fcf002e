# subwords.bats: runs on subwords (--tokens bpe), from the text to their continuations.
load programs.bash

@test "a run on subwords writes its text back, and counts in it" {
    "$BIN/train" perro.txt --tokens bpe --sequence lines --out run >out.txt
    grep -q "9 lines, .* tokens to predict, vocabulary 301" out.txt
    grep -q "from the subword frequencies" out.txt
    "$BIN/sample" run "el perro" --greedy >out.txt
    grep -q "␣come  *1.000  2 of 2" out.txt
    grep -qF "el perro come" out.txt
    grep -q "word for word in the text" out.txt
    # The table has whole words, of as many tokens as they need.
    "$BIN/sample" run el --count 0 >out.txt
    grep -q "^  next word  in the text  " out.txt
    grep -qE "^  ␣perro +0.400  2 of 5  0.(39|40)[0-9] " out.txt
    grep -qE "^  ␣muchacho +0.400  2 of 5  0.(39|40)[0-9] " out.txt
    grep -qE "^  others " out.txt
    # A prompt that ends within a word of the text is also counted.
    "$BIN/sample" run "el per" --json --count 0 | grep -q '"of":2'
    "$BIN/attend" run "el perro come" | grep -q "layer"
    "$BIN/sample" run --score perro.txt | grep -qF "un muchacho jugaba con la cuerda"
}

@test "a run on subwords starts from another one, with its vocabulary" {
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens bpe --vocabulary 400 --steps 5 --out first \
        >/dev/null
    "$BIN/train" perro.txt --from first --steps 5 --out second | grep -q "vocabulary 400"
    cmp first/tokenizer.json second/tokenizer.json
    "$BIN/train" --resume second --steps 8 >/dev/null
    "$BIN/sample" second el >/dev/null
    refuses 64 "--vocabulary is for a new vocabulary" -- \
        "$BIN/train" perro.txt --from first --vocabulary 300 --out third
    refuses 64 "--tokens word conflicts" -- \
        "$BIN/train" perro.txt --from first --tokens word --out third
}

@test "the size of a vocabulary is checked" {
    refuses 64 "--vocabulary 257 is too small" "are 258" -- \
        "$BIN/train" perro.txt --tokens bpe --sequence lines --vocabulary 257 --steps 1
    "$BIN/train" perro.txt --tokens bpe --vocabulary 256 --steps 1 | grep -q "vocabulary 256"
    refuses 64 "--vocabulary is for --tokens bpe" -- \
        "$BIN/train" perro.txt --tokens word --vocabulary 300 --steps 1
    "$BIN/train" perro.txt --vocabulary 300 --steps 1 --out implied | grep -q "stream of .* subwords"
    refuses 64 "--max-words is for words" -- \
        "$BIN/train" perro.txt --tokens bpe --max-words 300 --steps 1
    "$BIN/train" perro.txt --tokens bpe --vocabulary 2147483647 --min-count 2 --steps 1 \
        --out huge >/dev/null
}

@test "a continuation that grows on a terminal shows no part of a character" {
    needs_terminal
    for i in 1 2 3 4 5 6; do echo 日本語; done >text.txt
    "$BIN/train" text.txt --tokens bpe --vocabulary 256 --context 32 --steps 200 --out run >/dev/null
    script -qec "stty cols 4000; exec $BIN/sample run 日 --greedy --words 3999 --table 1" /dev/null \
        </dev/null >out.txt
    [ "$(tr '\r' '\n' <out.txt | grep -c 日本語)" -gt 1 ] # it grew
    refutes -F "$(printf '\357\277\275')" out.txt
}

@test "bits per byte compare characters and subwords, but not words" {
    local bytes=$(wc -c <perro.txt) kind
    for kind in char bpe; do
        "$BIN/train" perro.txt --tokens $kind --sequence lines --steps 30 --out $kind >$kind.txt
        grep -qE "^best .*, [0-9.]+ bits per byte$" $kind.txt
        "$BIN/sample" $kind --score perro.txt --json | tail -n 1 >$kind.json
        grep -q "\"bytes\":$bytes,\"bits_per_byte\":[0-9.]*}" $kind.json
    done
    "$BIN/train" perro.txt --steps 3 --out words >words.txt
    refutes "bits\|byte" words.txt
    "$BIN/sample" words --score perro.txt | tail -n 1 |
        grep -q "^bits per byte are not comparable: the model never spells a word"
}

@test "the held-out part of a stream has no part in its vocabulary" {
    for i in $(seq 4000); do echo "uno $((i * i)) dos"; done >text.txt
    for i in $(seq 300); do echo "zumbido tralala"; done >>text.txt
    "$BIN/train" text.txt --tokens bpe --steps 0 --out tenth | grep -q "held out"
    "$BIN/train" text.txt --tokens bpe --steps 0 --val 0 --out whole >/dev/null
    refutes zumb tenth/tokenizer.json
    grep -q zumb whole/tokenizer.json
}

# A model on subwords, in a folder `first`, whose tokenizer is turned into one like Qwen's: its last
# three tokens are added ones.
put_qwen() {
    "$BIN/train" "$ROOT/data/cuentos.txt" --tokens bpe --vocabulary 400 --sequence stream --steps 5 --activation gelu \
        --out first >/dev/null
    jq '(.model.vocab | to_entries[-3:]) as $last | .model.merges |= .[:-3]
        | reduce range(3) as $i (.; del(.model.vocab[$last[$i].key])
            | .added_tokens += [{id: $last[$i].value, special: ($i < 2), normalized: false,
                                 content: ["<|endoftext|>", "<|im_start|>", "<tool>"][$i]}])
        | .normalizer = {type: "NFC"}
        | .pre_tokenizer = {type: "Sequence", pretokenizers: [{type: "Split", behavior: "Isolated",
            invert: false, pattern: {Regex: $regex}}, (.pre_tokenizer | .use_regex = false)]}' \
        --arg regex "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+" \
        first/tokenizer.json >new.json
    mv new.json first/tokenizer.json
    jq '.eos_token = "<|endoftext|>"' first/tokenizer_config.json >new.json
    mv new.json first/tokenizer_config.json
}

@test "a model with a tokenizer like Qwen's is opened, and its run has the same tokenizer" {
    put_qwen
    for i in 1 2 3 4 5 6 7 8; do
        printf '<|im_start|>el perro come 12 huesos!\n\n<tool>salta<|endoftext|>'
    done >text.txt
    "$BIN/train" text.txt --from first --steps 300 --val 0 --out second >/dev/null
    for part in .normalizer .pre_tokenizer .model.merges \
        '.added_tokens | map([.id, .content, .special])'; do
        cmp <(jq -S "$part" first/tokenizer.json) <(jq -S "$part" second/tokenizer.json)
    done
    "$BIN/train" text.txt --from second --steps 1 --out third >/dev/null
    cmp second/tokenizer.json third/tokenizer.json
    cmp second/tokenizer_config.json third/tokenizer_config.json
    # Added tokens are read whole, written as their text, and end words; the first one ends a text.
    "$BIN/sample" second "<|im_start|>el perro" --greedy --json >out.txt
    jq -e '.continuations[0] | .text == " come 12 huesos!\n\n<tool>salta" and .ended and
           (.tokens | index("<tool>"))' out.txt
    "$BIN/sample" second "huesos!

" --count 0 | grep -qE "^  <tool> "
    "$BIN/attend" second "<|im_start|>el<tool>perro" -o -.json | jq -c .tokens | grep -qF '"<tool>"'
    # All bytes of the text count but those of its first token.
    "$BIN/sample" second --score text.txt | grep -q "of $(($(wc -c <text.txt) - 12)) bytes"
    "$BIN/export" second second.gguf >/dev/null
    grep -aq qwen2 second.gguf
}

@test "another pattern than those that are known is shown" {
    put_qwen
    sed -i 's|{N}\||{N}{1,4}\||' first/tokenizer.json
    refuses 1 "first/tokenizer.json: pre_tokenizer is" "{1,4}| ?[" "supported is that of GPT-2" -- \
        "$BIN/sample" first el
}

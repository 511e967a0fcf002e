"""same.py: the settings of tests/same, trained in a tab.

settings.sh runs programs by what RUN names, as it would an emulator. Here that is this file: it
has a tab train, and runs ./sample and ./attend of the run as they are. So the settings, and what of
them is compared with table.txt, are only in tests/same. bf16, which a tab has no instruction for,
is left out as it is there.
"""
import base64
import io
import json
import os
import pathlib
import subprocess
import sys
import zipfile

from page import BUILD
from programs import BIN, ROOT

# A worker that trains, without the page around it; what it prints, and the run as a .zip.
TRAIN = """(async (kind, words, packed, text) => {
    const program = await WebAssembly.compile(await unpacked(plain(kind)));
    const url = URL.createObjectURL(new Blob([plain("worker")], {type: "text/javascript"}));
    const worker = new Worker(url), lines = [], files = {};
    for (const [name, base64] of Object.entries(packed))
        files[name] = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
    const saved = await new Promise(done => {
        worker.onmessage = ({data: news}) => {
            if (news.line !== undefined) lines.push(news.line);
            if (news.over === 0) worker.postMessage({save: true});
            if (news.over || news.files) done(news.files);
        };
        worker.postMessage({start: {program, language: "en", files, words, text}});
        worker.postMessage({go: true});
    });
    worker.terminate();
    URL.revokeObjectURL(url);
    return [lines.join("\\n") + "\\n", saved ? await new Promise(done => {
        const reader = new FileReader();
        reader.onload = () => done(reader.result.split(",")[1]);
        reader.readAsDataURL(zipOf(saved));
    }) : null];
})(%s, %s, %s, %s)"""


def encoded(data):
    return base64.b64encode(data).decode()


def files_of(folder, words):
    """The files that the words of a command name, and those in the folders that they name."""
    files = {}
    for word in words:
        path = folder / word
        for file in [path] if path.is_file() else path.iterdir() if path.is_dir() else []:
            files[str(file.relative_to(path.parent))] = file.read_bytes()
    return files


def train_in_tab(page, kind, folder, words):
    """Does in a tab what ./train does with these words in that folder; the run's folder is "run"
    there. Returns what was printed, and the status."""
    named = 1 + words.index("--resume" if "--resume" in words else "--out")
    run = words[named]
    files = {"run" + name.removeprefix(run) if name.startswith(run + "/") else name: data
             for name, data in files_of(folder, words).items()}
    words = ["run" if i == named else os.path.basename(word) for i, word in enumerate(words)]
    text = next(data for name, data in files.items() if name in (words[0], "run/text.txt")).decode()
    said, saved = page.run(TRAIN % tuple(map(json.dumps, (
        kind, ["lab", *words], {name: encoded(data) for name, data in files.items()},
        text.split()[0]))))
    if not saved:
        return said, 1
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(saved))) as archive:
        for name in archive.namelist():
            path = folder / run / name.removeprefix("run/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
    return said, 0


def check(page, kind, *settings):
    """What settings.sh prints of runs that a tab trains: "same", or the settings that differ."""
    orders, give_orders = os.pipe()
    answers, give_answers = os.pipe()
    run = f"{sys.executable} {__file__} {give_orders} {answers}"
    with subprocess.Popen(
            [ROOT / "tests" / "same" / "settings.sh", "check", *settings],
            env={**os.environ, "BIN": str(BIN), "RUN": run, "THREADS": "1"}, text=True,
            stdout=subprocess.PIPE, pass_fds=(give_orders, answers)) as shell:
        os.close(give_orders)
        os.close(answers)
        with open(orders) as orders, open(give_answers, "w") as give_answers:
            for order in orders:  # until the shell has ended, and what it called
                folder, words = json.loads(order)
                print(json.dumps(train_in_tab(page, kind, pathlib.Path(folder), words)),
                      file=give_answers, flush=True)
        return shell.stdout.read().strip()


def look_at_lab_same(page, folder):
    """Every setting of tests/same gives the bits of table.txt with the relaxed multiply-add. The
    exact one takes five times as long and is another function in the same program, so a few will do:
    odd sizes, both optimizers, gaps, and gradients that are added up."""
    page.open(BUILD / "lab" / "pulga.html")
    for kind, settings in ("relaxed", ()), ("exact", ("course", "post", "masked", "shards")):
        said = check(page, kind, *settings)
        assert said == "same", (kind, said)


def main():
    """Called in the place of a program: has the tab train; runs other programs as they are."""
    orders, answers, program, *words = sys.argv[1:]
    if os.path.basename(program) != "train":
        os.execv(program, [program, *words])
    with open(int(orders), "w") as orders, open(int(answers)) as answers:
        print(json.dumps([os.getcwd(), words]), file=orders, flush=True)
        said, status = json.loads(answers.readline())
    print(said, end="", file=sys.stderr if status else sys.stdout)
    sys.exit(status)


if __name__ == "__main__":
    main()

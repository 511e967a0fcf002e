"""Tests of import pulga: `python tests/python` in an environment that has it, as make wheel-test
makes one. What it returns is compared with what the programs print."""

from __future__ import annotations

import csv
import doctest
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy
import pulga
from bad_calls import BadCalls  # noqa: F401
from pulga.programs import NAMES, program, webassembly

# What is compared with: the programs themselves, also if WebAssembly is tested.
NATIVE = os.environ.get("PULGA_NATIVE") or os.path.dirname(program("train"))
WASM = bool(webassembly())
if not WASM:
    from library import Library  # noqa: F401
DATA = pathlib.Path(__file__).parents[2] / "data"
SMALL = {"layers": 1, "heads": 2, "width": 16, "quiet": True}


def shell(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, text=True, capture_output=True, check=False, **more)


def printed(name: str, *words: str, given: str = "") -> str:
    return shell(os.path.join(NATIVE, name), *words, input=given).stdout


def below(process: int) -> list[str]:
    """The processes that it has started, their ids and their names."""
    return shell("ps", "-o", "pid=,comm=", "--ppid", str(process)).stdout.splitlines()


def children() -> set[str]:
    """What runs below this process."""
    return {line for line in below(os.getpid()) if line.split()[1] in NAMES}


def await_that(condition) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it does not become true")


class Trained(unittest.TestCase):
    """The nine sentences."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.run_ = pulga.train(DATA / "perro.txt", out="runs/perro", overwrite=True)
        cls.model = pulga.open(cls.run_)

    def json(self, *words: str, given: str = "") -> dict:
        return json.loads(printed("sample", "runs/perro", "--json", *words, given=given))

    def test_run(self) -> None:
        run = self.run_
        self.assertEqual(run.checksum, "e934a89039392319")
        self.assertEqual((run.step, run.held_out, run.settings["seed"]), (300, False, 1))
        self.assertEqual(len(run.log), 21)
        self.assertEqual(run.log["step"].tolist(), list(range(0, 301, 15)))
        self.assertAlmostEqual(run.log["gap"][-1], run.best_loss - run.floor, 8)
        self.assertIn("<svg", run._repr_html_())
        self.assertIn("e934a89039392319", repr(run))
        self.assertTrue(run.verify())
        comparison = pulga.compare([run, run], picture="two.svg")
        self.assertEqual(repr(comparison).count("e934a89039392319"), 2)
        self.assertEqual(comparison.losses.std(), 0)
        self.assertIn("<svg", pathlib.Path("two.svg").read_text())

    def test_next(self) -> None:
        for prompt in ("el", "", "un gato", "la cuerda come"):
            for options in ({}, {"table": 3}, {"without": "L2H3,L1"}):
                words = [f"--{name}={value}" for name, value in options.items()]
                told = self.json(*words, "--", prompt)["next"]
                self.assertEqual([vars(row) for row in self.model.next(prompt, **options)], [
                    {"count": None, "of": None, "model": None, "counting": None, **row}
                    for row in told])
        self.assertEqual(repr(self.model.next("el", table=1)).split(),
                         ["token", "probability", "count", "of", "muchacho", "0.399904", "2", "5"])
        self.assertIn("<td>muchacho</td>", self.model.next("el")._repr_html_())

    def test_sample(self) -> None:
        for options in ({}, {"count": 5, "temperature": 2, "seed": 7}, {"greedy": True},
                        {"beam": 4, "count": 4}, {"sources": True, "stop": "la"}):
            words = [f"--{name}={'on' if value is True else value}"
                     for name, value in options.items()]
            for _ in range(2):  # the same again
                written = self.model.sample("el", **options)
                told = self.json(*words, "el")["continuations"]
                self.assertEqual([{k: v for k, v in vars(row).items() if v is not None}
                                  for row in written], told)
        self.assertEqual(str(written[0]), written[0].text)

    def test_score(self) -> None:
        texts = ["el perro come", "un gato come un hueso", "la cuerda"]
        lines = "\n".join(texts)
        for each in ("token", "word"):
            rows = self.model.score(texts, each=each)
            told = csv.DictReader(io.StringIO(printed(
                "sample", "runs/perro", "--score=-", f"--each={each}", "--csv", given=lines)))
            for row, other in zip(rows, told, strict=True):
                self.assertEqual((row.line, row.position, row.token, row.rank, row.count),
                                 (int(other["line"]), int(other["position"]), other[each],
                                  int(other["rank"]), int(other["count"])))
                self.assertEqual(row.surprise, float(other["surprise"]))
        losses = self.model.losses(texts)
        self.assertEqual([line.text for line in losses], texts)
        bits = [sum(row.surprise for row in rows if row.line == line) for line in (1, 2, 3)]
        for line, surprise in zip(losses, bits):
            self.assertAlmostEqual(line.loss * line.tokens, surprise * numpy.log(2), 6)
        many = self.model.score(texts[:1] * 1000)
        self.assertEqual((len(many), many[-1].line), (4000, 1000))

    def test_attention(self) -> None:
        for options in ({}, {"without": "L1H2"}, {"layer": 2, "head": 1}):
            words = [f"--{name}={value}" for name, value in options.items()]
            read = self.model.attention("el perro come", **options)
            printed("attend", "runs/perro", "el perro come", *words, "-o", "a.npy")
            told = numpy.load("a.npy")
            self.assertEqual(read.weights.dtype, told.dtype)
            self.assertTrue(numpy.array_equal(read.weights, told))
        self.assertEqual(read.tokens, ["[bos]", "el", "perro", "come"])
        self.assertIn("<svg", read._repr_html_())

    def test_near_heads_page_weights(self) -> None:
        told = self.json("--near=perro", "--table=4")["near"]
        self.assertEqual([vars(row) for row in self.model.near("perro", table=4)], told)
        table = printed("attend", "runs/perro", "--heads", "el perro come")
        heads = self.model.heads("el perro come")
        self.assertIn(f"loss {heads.loss:.6f}:", table)
        for row in heads:
            self.assertRegex(table, rf"\n +{row.layer} +{row.head or 'all'} +[+-]"
                                    rf"{abs(row.rise):.4f}")
        page = self.model.page("el perro come")
        self.assertEqual(page.save("page.html").read_text("utf-8"), printed(
            "attend", "runs/perro", "-", "-o", "-.html", given="el perro come"))
        self.assertIn("<iframe", page._repr_html_())
        self.assertEqual(repr(page), f"Page({len(page.html)} characters)")
        self.assertEqual(self.model.embeddings.shape, (15, 64))
        self.assertEqual(sum(w.size for w in self.model.weights().values()),
                         101056 + 8 * 64)  # the sinusoids

    def test_tokenizer(self) -> None:
        for text in ("el perro come", "un gato", "el"):
            ids = self.model.tokenizer.encode(text)
            self.assertEqual(self.model.tokenizer.decode(ids), text)
        cuentos = pulga.train(DATA / "cuentos.txt", tokens="bpe", vocabulary=400, steps=0,
                              out="runs/parts", **SMALL).model
        for text in ("La niña  canta.", "¿Qué?\n\nNada", " "):
            self.assertEqual(cuentos.tokenizer.decode(cuentos.tokenizer.encode(text)), text)
        self.assertEqual(len(cuentos.next("La\nniña", table=5)), 5)

    def test_one_process_answers_many_prompts(self) -> None:
        running = threading.active_count if WASM else lambda: len(children())
        self.model.close()
        before = running()
        for _ in range(100):
            self.model.next("el perro")
        self.assertEqual(running() - before, 1)
        for table in range(9):
            self.model.next("el", table=table)
        self.assertLessEqual(running() - before, 4)
        answers: list[str] = []
        threads = [threading.Thread(target=lambda word=word: answers.extend(
            {self.model.next(word)[0].token for _ in range(50)})) for word in ("la", "el perro")]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(sorted(answers), ["come", "cuerda"])
        model = pulga.open(self.run_)
        model.next("el")
        before = running()
        del model
        self.assertEqual(before - running(), 1)

    def test_a_trained_run_is_read_again(self) -> None:
        run = pulga.train(DATA / "perro.txt", steps=20, out="runs/again", **SMALL)
        model = run.model
        before = model.next("el")[0].probability
        longer = run.resume(steps=100, quiet=True)
        self.assertEqual((run.step, longer.step), (20, 100))
        self.assertNotEqual(model.next("el")[0].probability, before)

    def test_what_a_program_remarks_is_a_warning(self) -> None:
        with self.assertWarnsRegex(UserWarning, "^the model does not know 'x'"):
            self.model.next("el x")

    @unittest.skipIf(WASM, "some of it is the library's")
    def test_docstrings(self) -> None:
        (pathlib.Path("perro.txt")).write_bytes((DATA / "perro.txt").read_bytes())
        names = {"pulga": pulga, "model": self.model, "options": pulga.options,
                 "run": pulga.Run.read("runs/perro")}
        count = 0
        for module in (pulga, pulga.programs, pulga.rows, pulga.runs, pulga.models,
                       pulga.library):
            failed, attempted = doctest.testmod(module, extraglobs=dict(names), verbose=False)
            self.assertEqual(failed, 0)
            count += attempted
        self.assertGreater(count, 20)

    @unittest.skipIf(WASM, "some of it is the library's")
    def test_documentation(self) -> None:
        os.makedirs("elsewhere", exist_ok=True)
        os.chdir("elsewhere")  # where runs/perro is free
        try:
            if not os.path.exists("data"):
                os.symlink(DATA, "data")
            page = DATA.parent / "docs" / "python.md"
            failed, attempted = doctest.testfile(str(page), module_relative=False, verbose=False)
            self.assertEqual((failed, attempted), (0, 17))
        finally:
            os.chdir("..")

    @unittest.skipIf(WASM, "it takes long")
    def test_lessons(self) -> None:
        """What they say is typed in Python."""
        os.makedirs("lesson", exist_ok=True)
        os.chdir("lesson")
        try:
            os.symlink(DATA, "data")
            for name, model in (("lesson", "copies"), ("leccion", "copias")):
                page = (DATA.parent / "docs" / f"{name}.md").read_text()
                blocks = re.findall("```python\n(.*?)```\n", page, re.DOTALL)
                self.assertEqual(len(blocks), 5)
                code = "".join(blocks).replace('"muon"', '"muon", steps=1')  # all take too long
                typed = {"pulga": pulga}
                exec(code, typed)  # noqa: S102
                self.assertEqual(pulga.Run.read("runs/perro").checksum, "e934a89039392319")
                self.assertEqual(len(typed[model].heads("k c")), 6)
        finally:
            os.chdir("..")


class Training(unittest.TestCase):
    def digits(self) -> str:
        pathlib.Path("digits.txt").write_text("\n".join(" ".join(str(n)) for n in range(4000)))
        return "digits.txt"

    def long(self, **more):
        return pulga.train(self.digits(), val=0, steps=1000000, log_every=5, eval_every=1000000,
                           out="runs/long", overwrite=True, **SMALL, **more)

    def test_text_in_a_string_and_names_of_options(self) -> None:
        run = pulga.train(text="el gato come\nel perro come\n", attend=["all", 2], window=None,
                          lower=True, average=False, lr_factor=0.5, steps=5, out="runs/a", **SMALL)
        self.assertEqual([run.settings[name] for name in ("attend", "lower", "average", "steps")],
                         ["all,2", True, False, 5])
        other = pulga.train("digits.txt" if os.path.exists("digits.txt") else self.digits(),
                            from_=None, steps=0, out=pathlib.Path("runs/b"), **SMALL)
        self.assertEqual(other.log["loss"].size, 1)

    def test_paths(self) -> None:
        """By links, by .. and in a .zip."""
        os.makedirs("deep", exist_ok=True)
        text, elsewhere = DATA / "perro.txt", pathlib.Path("elsewhere.txt")
        elsewhere.write_bytes(text.read_bytes())
        os.symlink(text, "deep/file.txt")
        os.symlink(DATA, "deep/folder", True)
        os.symlink("../elsewhere.txt", "deep/near.txt")
        os.symlink(pathlib.Path("deep").resolve(), "link", True)
        os.makedirs("deep/new", exist_ok=True)
        os.symlink(pathlib.Path("deep/new").resolve(), "deep/runs", True)
        sums = set()
        for name in ("deep/file.txt", "deep/folder/perro.txt", "deep/near.txt", elsewhere.resolve(),
                     "deep/../elsewhere.txt", f"../{os.path.basename(os.getcwd())}/elsewhere.txt"):
            run = pulga.train(name, steps=1, out="link/run", overwrite=True, **SMALL)
            sums.add(run.checksum)
        self.assertEqual(len(sums), 1)
        self.assertTrue(pulga.train(elsewhere, steps=1, out="link/more/run", **SMALL).checksum)
        os.chdir("deep")
        try:
            self.assertTrue(pulga.train("near.txt", steps=1, **SMALL).checksum)
        finally:
            os.chdir("..")
        self.assertTrue(os.path.exists("deep/new/near/model.safetensors"))
        zipped = shutil.make_archive("deep/zipped", "zip", "deep", "run")
        self.assertEqual(pulga.open(zipped).next("el"), run.model.next("el"))

    def test_other_objectives(self) -> None:
        masked = pulga.train(DATA / "perro.txt", objective="masked", steps=9, out="runs/m", **SMALL)
        gap, = masked.model.fill("el [mask] come", table=3)
        self.assertEqual((gap.at, len(gap.candidates)), (2, 3))
        self.assertRegex(masked.model.sample("el [mask] come", count=1)[0].text, "^el .* come$")
        with self.assertRaisesRegex(pulga.Error, "fill"):
            masked.model.next("el [mask]")
        counts = pulga.train(DATA / "cuentos.txt", counts=True, steps=5, out="runs/c", **SMALL)
        self.assertIsNotNone(counts.model.next("La")[0].counting)
        self.assertIsNotNone(counts.mixed_loss)

    def test_on_step_stops(self) -> None:
        seen: list[pulga.Step] = []
        before = children()
        run = self.long(on_step=lambda step: seen.append(step) or step.step < 20)
        self.assertEqual([step.step for step in seen[-4:]], [5, 10, 15, 20])
        self.assertLess(run.step, 1000)
        self.assertEqual((seen[-4].steps, seen[-4].epoch), (1000000, 1))
        self.assertEqual(children(), before)

    def test_what_on_step_raises_is_raised(self) -> None:
        def fail(step: pulga.Step) -> None:
            if step.step:
                raise ZeroDivisionError
        before = children()
        with self.assertRaises(ZeroDivisionError):
            self.long(on_step=fail)
        self.assertEqual(children(), before)
        self.assertGreater(pulga.Run.read("runs/long").step, 0)

    def test_ctrl_c_returns_the_run(self) -> None:
        def interrupt(step: pulga.Step) -> None:
            if step.step == 10:
                signal.raise_signal(signal.SIGINT)
        def press() -> None:
            await_that(pathlib.Path("runs/long/log.csv").exists)
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)
        for on_step in (interrupt, None):
            if not on_step:
                shutil.rmtree("runs/long")
                threading.Thread(target=press).start()
            run = self.long(on_step=on_step)
            self.assertGreater(run.step, 0)
            self.assertLess(run.step, 1000000)
            self.assertTrue(run.checksum)

    def test_ctrl_c_in_a_shell(self) -> None:
        shutil.rmtree("runs/shell", ignore_errors=True)
        train = subprocess.Popen(
            [sys.executable, "-m", "pulga", "train", self.digits(), "--out=runs/shell", "--val=0",
             "--steps=1000000", "--layers=1", "--width=16", "--heads=2"], stdout=subprocess.PIPE)
        await_that(pathlib.Path("runs/shell/log.csv").exists)
        time.sleep(0.5)
        train.send_signal(signal.SIGINT)
        self.assertIn(b"stopped by Ctrl-C after step", train.communicate()[0])
        self.assertEqual(train.returncode, 130)
        self.assertTrue(pulga.Run.read("runs/shell").checksum)

    @unittest.skipUnless(WASM, "the programs' own tests have it")
    def test_verify_takes_one_run(self) -> None:
        for name in ("one", "two"):
            pulga.train(DATA / "perro.txt", steps=1, out=f"runs/{name}", **SMALL)
        done = shell(sys.executable, "-m", "pulga", "train", "--verify", "runs/one", "runs/two")
        self.assertIn("WebAssembly verifies one run at a time", done.stderr.splitlines()[0])
        self.assertEqual(done.returncode, 64)

    def test_a_line_on_a_terminal(self) -> None:
        code = (f"import pulga; pulga.train({str(DATA / 'perro.txt')!r}, out='runs/t', "
                "overwrite=True, quiet=")
        for quiet in (False, True):
            shown = shell("script", "-qec", f'{sys.executable} -c "{code}{quiet})"', "/dev/null")
            self.assertEqual("step 150/300  loss 0.4" in shown.stdout, not quiet, shown)

    @unittest.skipIf(WASM, "it runs in this process")
    def test_nothing_is_left_behind(self) -> None:
        """However Python ends, the programs that it has started end."""
        code = """if True:
            import os, pathlib, pulga, sys
            model = pulga.open("runs/small")
            model.next("el")
            if sys.argv[1] == "train":
                pulga.train("digits.txt", val=0, steps=1000000, log_every=1, out="runs/killed",
                            overwrite=True, on_step=lambda step: step.step < 3 or print(flush=True))
            print(flush=True)
            sys.argv[1] == "end" or input()"""
        pulga.train(DATA / "perro.txt", steps=1, out="runs/small", overwrite=True, **SMALL)
        self.digits()
        for how in ("end", "kill", "train"):
            python = subprocess.Popen([sys.executable, "-c", code, how], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE)
            python.stdout.readline()
            started = [line.split()[0] for line in below(python.pid)]
            if how != "end":
                self.assertEqual(len(started), 1 + (how == "train"))
                python.kill()
            python.communicate()
            for process in started:
                await_that(lambda process=process: not self.runs(process))
        self.assertGreater(pulga.Run.read("runs/killed").step, 0)

    def runs(self, process: str) -> bool:
        try:
            return "State:\tZ" not in pathlib.Path(f"/proc/{process}/status").read_text()
        except OSError:
            return False


class Package(unittest.TestCase):
    def test_version_and_commands(self) -> None:
        version = printed("train", "--version").strip()
        self.assertEqual(f"pulga {pulga.__version__}", version)
        folder = pathlib.Path(sys.executable).parent
        commands = [[sys.executable, "-m", "pulga", name] for name in NAMES]
        commands += [[folder / f"pulga-{name}"] for name in NAMES
                     if "site-packages" in pulga.__file__]
        for command in commands:
            done = shell(*command, "--version")
            self.assertEqual(done.stdout.strip(), version)
        done = shell(sys.executable, "-m", "pulga", "fly")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))

    def test_import_is_light(self) -> None:
        code = "import sys, pulga; print('numpy' in sys.modules, 'wasmtime' in sys.modules)"
        done = shell(sys.executable, "-c", code)
        self.assertEqual(done.stdout, "False False\n")

    def test_same(self) -> None:
        done = shell(sys.executable, "-m", "pulga", "same")
        self.assertRegex(done.stdout, f"^pulga {pulga.__version__}, .* the same\n$")
        table = (DATA.parent / "tests" / "same" / "table.txt").read_text()
        sums = {line.split()[0]: line.split()[1] for line in table.splitlines()}
        self.assertIn(f": {sums['plain']} {sums['words']} the same", done.stdout)

    def test_lab(self) -> None:
        code = "import pulga; print(pulga.lab()._repr_html_().count('WebAssembly'))"
        built = [pathlib.Path(pulga.__file__).with_name("lab.html"),
                 DATA.parent / "build" / "lab" / "pulga.html"]
        done = shell(sys.executable, "-c", code, env={**os.environ, "BROWSER": "echo opens %s"})
        if path := next((path for path in built if path.exists()), None):
            self.assertRegex(done.stdout, f"^opens file://{path}\n[1-9]")
        else:
            self.assertIn("the lab is not in this package", done.stderr.splitlines()[-1])

    def test_every_option_has_a_name(self) -> None:
        for name in NAMES:
            self.assertTrue(all(key.isidentifier() for key in pulga.options(name)))
        self.assertIs(pulga.options("train")["window"], pulga.options("train")["attend"])

    def test_programs_of_windows(self) -> None:
        folder = pathlib.Path(NATIVE)
        with unittest.mock.patch.object(sys, "platform", "win32"), \
                unittest.mock.patch.dict(os.environ, {"PULGA_BIN": str(folder / "none")}), \
                self.assertRaisesRegex(pulga.Error, r"none.train\.exe: "):
            program("train")

    def test_a_missing_program_is_one_line(self) -> None:
        code = "import pulga; pulga.train('x')"
        done = shell(sys.executable, "-c", code,
                     env={**os.environ, "PULGA_BIN": "/nowhere"})
        name = "programs.wasm" if os.environ.get("PULGA_ENGINE") == "wasm" else "train"
        self.assertIn(f"there is no program /nowhere/{name}", done.stderr.splitlines()[-1])

    def test_the_engine(self) -> None:
        code, none = "import pulga; pulga.train('x')", "there is no program /nowhere/"
        os.makedirs("without", exist_ok=True)
        pathlib.Path("without", "programs.wasm").touch()
        for engine, folder, before, says in (
                ("x", "/nowhere", "", "PULGA_ENGINE is native or wasm, not x"),
                ("native", "/nowhere", "", none + "train"),
                ("wasm", "/nowhere", "", none + "programs.wasm"),
                ("wasm", "without", "sys.modules['wasmtime'] = None", "pip install wasmtime"),
                ("", "without", "sys.platform = 'emscripten'", "no program runs in Pyodide")):
            done = shell(sys.executable, "-c", f"import sys; {before}\n{code}",
                         env={**os.environ, "PULGA_BIN": folder, "PULGA_ENGINE": engine})
            self.assertIn(says, done.stderr.splitlines()[-1])


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"  # messages in English
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        unittest.main(warnings="error")

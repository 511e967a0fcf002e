"""notebooks.py [--check] [NAME...]: makes the notebooks of docs/notebooks from docs/notebooks/source,
where each page has its code once and its prose in English and in Spanish, runs them, and keeps
what they show; with --check, fails if that is not what the kept ones show. Pictures of matplotlib
are not compared: another version draws them otherwise. `make notebooks` calls it."""

from __future__ import annotations

import difflib
import os
import pathlib
import re
import sys
import tempfile

import nbclient
import nbformat

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "notebooks"
LOCALES = {"en": "C.UTF-8", "es": "es_MX.UTF-8"}  # the programs answer in the page's language
PART = re.compile(r"(?ms)^<!-- (en|es)(?: (\S+))? -->\n|^```python\n(.*?)^```\n")


def notebooks(source: str) -> dict[str, tuple[str, nbformat.NotebookNode]]:
    """The notebooks of a page by their file names, with their languages. A comment says in which
    language the prose after it is; the first of each language names its file."""
    names, cells = {}, {"en": [], "es": []}
    begins = list(PART.finditer(source))
    for part, after in zip(begins, [*begins[1:], None]):
        language, name, code = part.groups()
        prose = source[part.end():after.start() if after else None].strip()
        if name:
            names[language] = name
        if code:
            for both in cells.values():
                both.append(nbformat.v4.new_code_cell(code.strip()))
        elif prose:
            cells[language].append(nbformat.v4.new_markdown_cell(prose))
    made = {}
    for language, name in names.items():
        book = nbformat.v4.new_notebook(cells=cells[language], metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"}})
        for number, cell in enumerate(book.cells):
            cell["id"] = f"cell-{number}"
        made[name] = language, book
    return made


def run(book: nbformat.NotebookNode, language: str) -> None:
    """Runs all cells in an empty folder that has the texts of data/."""
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "data", f"{folder}/data")
        metadata = dict(book.metadata)
        environment = {**os.environ, "LC_ALL": LOCALES[language], "MPLBACKEND": "module://"
                       "matplotlib_inline.backend_inline"}
        nbclient.NotebookClient(
            book, timeout=600, record_timing=False, coalesce_streams=True, resources={"metadata": {"path": folder}}
        ).execute(env=environment)
        book.metadata = nbformat.from_dict(metadata)  # without the version of this Python


def shown(book: nbformat.NotebookNode) -> list[str]:
    """The lines of a notebook that every machine shows alike."""
    lines = []
    for cell in book.cells:
        lines += cell.source.splitlines()
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text", "")})
            for kind in sorted(set(data) - {"image/png"}):
                if "image/png" not in data:
                    lines += data[kind].splitlines()
    return lines


def main(words: list[str]) -> int:
    check, differ = "--check" in words, 0
    for page in sorted(FOLDER.glob("source/*.md")):
        for name, (language, book) in notebooks(page.read_text("utf-8")).items():
            if set(words) - {"--check"} and name not in words and page.stem not in words:
                continue
            run(book, language)
            kept = FOLDER / name
            before = shown(nbformat.read(kept, 4)) if kept.exists() else []
            changes = list(difflib.unified_diff(before, shown(book), "kept", "now", lineterm=""))
            print(f"{name}: {'as kept' if not changes else 'differs' if check else 'renewed'}")
            if changes and check:
                print("\n".join(changes[:40]))
                differ = 1
            elif changes:
                nbformat.write(book, kept)
    return differ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

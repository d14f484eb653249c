"""`lowdim generate` of text: a transformer reads characters, and writes more of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from lowdim.cli.table_verb import TableRequest

LENGTH = 300
STEPS, BATCH, PASSES = 1000, 12, 60  # steps and passes at the most
SIZE = {"context": 64, "n_layers": 4, "n_heads": 4, "width": 128}
SMALL = {"context": 32, "n_layers": 2, "n_heads": 2, "width": 64}  # for less text than FEW
FEW = 20_000  # characters
LEAST = 100
HELD_OUT, MOST_HELD_OUT = 0.1, 20_000  # share of the text, characters
ENDINGS = (".txt", ".text", ".md")
LINES, HEAD = 30, 2**14  # lines and characters that are looked at
RULE = "-" * 40  # between texts


class TextWish(NamedTuple):
    """What is asked for; None: nothing was said."""

    prompt: str | None
    length: int | None
    temperature: float | None
    steps: int | None = None

    @property
    def said(self) -> bool:
        return any(value is not None for value in self)


def is_prose(path: str) -> bool:
    """Whether a file of text holds no table: its lines have no common number of fields."""
    if not path.lower().removesuffix(".gz").endswith(ENDINGS) or not os.path.isfile(path):
        return False
    lines = [line for line in _head(path)[:LINES] if line.strip()]
    if not lines:
        return True
    counts = [{line.count(sign) for line in lines} for sign in ("\t", ";", ",", "|")]
    fields = {len(line.split()) for line in lines}
    is_table = any(len(count) == 1 and count != {0} for count in counts)
    return not (is_table or (len(fields) == 1 and fields != {1} and len(lines) > 1))


def generate_text(
    request: TableRequest,
    model: Any,
    wish: TextWish,
    n: int | None,
    seed: int,
    files: dict[str, str | None],
) -> None:
    """Learn from the text unless there is a model already, write n texts, and say what was done."""
    import numpy as np

    from lowdim.cli.summary import line, written_lines
    from lowdim.core.atomic import replacing

    prompt = wish.prompt or ""
    if model is None:
        text = _text(request)
        _check_prompt(prompt, _parted(text)[0], request.path)
        model, lines = _learned(text, request.path, wish.steps or STEPS, seed)
    else:
        text, lines = None, [line("from", request.path), line("method", "CausalTransformer")]
    if files["model"] is not None:
        model.save(files["model"])
    length = LENGTH if wish.length is None else wish.length
    temperature = 1.0 if wish.temperature is None else wish.temperature
    texts = [
        model.generate(prompt, length, temperature, random_state=np.random.default_rng([seed, i]))
        for i in range(n or 1)
    ]
    written = f"\n{RULE}\n".join(texts) + "\n"
    if files["texts"] is None:
        click.echo(written, nl=False)
    else:
        with replacing(files["texts"]) as file:
            file.write(written.encode())
    if files["page"] is not None:
        import lowdim

        real = None if text is None else "".join(_parted(text))
        lowdim.sample_page(real, texts, name=request.path, model=model).save(files["page"])
    count = "1 text" if len(texts) == 1 else f"{len(texts)} texts"
    lines.append(line("written", f"{count} of {length} characters after the prompt"))
    shown = [*lines, *(written_lines(files) if any(files.values()) else [])]
    if not request.quiet:
        click.echo("\n".join(shown), err=files["texts"] is None)


def _head(path: str) -> list[str]:
    """The first lines, whatever is in them."""
    from lowdim.text.corpus.files import TextFile

    return TextFile(path, "utf-8", "replace").text(HEAD)[:HEAD].splitlines()


def _text(request: TableRequest) -> str:
    from lowdim.tables.errors import TableError
    from lowdim.text.corpus import corpus

    encoding = request.form.get("encoding", "utf-8")
    if request.path == "-":
        text = sys.stdin.read()
    else:
        found = corpus(Path(request.path), split="file", max_characters=None, encoding=encoding)
        text = "\n".join(found)
    if len(text) < LEAST:
        raise TableError(
            f"{request.path} has {len(text)} characters; a model of text needs {LEAST} at least."
        )
    return text


def _parted(text: str) -> tuple[str, str]:
    """What is learned from, and the end, which is not, as far as a model can read it then."""
    held = min(int(HELD_OUT * len(text)), MOST_HELD_OUT)
    seen = text[: len(text) - held]
    known = set(seen)
    return seen, "".join(c for c in text[len(text) - held :] if c in known)


def _check_prompt(prompt: str, text: str, where: str) -> None:
    """Raise before a model is learned from the text that could not read the prompt."""
    from lowdim.tables.errors import TableError

    unknown = sorted(set(prompt) - set(text))
    if unknown:
        signs = ", ".join(map(repr, unknown[:10]))
        raise TableError(
            f"--prompt has {signs}, which {where} never has, its end left out, from which nothing "
            "is learned.",
            "Leave it out.",
        )


def _learned(text: str, where: str, steps: int, seed: int) -> tuple[Any, list[str]]:
    """A model of the text, and how well it reads the end, from which it has not learned."""
    import math

    import lowdim
    from lowdim.cli.summary import line
    from lowdim.deep.engine import torch_for

    torch_for("Text")
    seen, end = _parted(text)
    model = lowdim.CausalTransformer(
        **(SMALL if len(text) < FEW else SIZE),
        batch_size=BATCH,
        max_iter=PASSES if steps == STEPS else steps,
        max_steps=steps,
        random_state=seed,
    ).fit(seen)
    bits, n_known = -model.score(end) / math.log(2.0), len(set(seen))
    lines = [
        line("text", f"{where}: {len(text):,} characters, {n_known} different ones"),
        line("method", f"CausalTransformer, {model.n_iter_} passes"),
        line(
            "reads",
            f"the last {len(end):,} characters, which it has not learned from, at {bits:.2f} bits "
            f"each ({math.log2(n_known):.2f} without any knowledge)",
        ),
    ]
    return model, lines

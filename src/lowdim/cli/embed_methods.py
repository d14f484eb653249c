"""The methods that `lowdim embed` offers: one line each.

A line says which public class does the work, how it is set, and which of its arguments the options
of the command line set.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import lowdim

# what all of them take
USUAL = {"dimensions": "vector_size", "window": "window", "min_count": "min_count"}


@dataclass(frozen=True)
class Method:
    """A method of the command line.

    Attributes
    ----------
    estimator : str
        Name of the public class.
    about : str
        What it does, for the help text.
    settings : mapping of str to Any
        Arguments of the class that make it this method.
    arguments : mapping of str to str
        Which argument of the class an option sets, beside the usual ones: option -> argument.
    """

    estimator: str
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)


METHODS = {
    "skipgram": Method(
        "Word2Vec", "a word predicts the words around it", {"sg": 1}, {"epochs": "epochs"}
    ),
    "cbow": Method(
        "Word2Vec", "the words around predict a word", {"sg": 0}, {"epochs": "epochs"}
    ),
    "glove": Method("GloVe", "logarithms of how often words meet", {}, {"epochs": "max_iter"}),
    "pmi": Method("PMIVectors", "how much more often than by chance words meet; quick"),
    "softmax": Method(
        "SkipGram", "skip-gram without sampling, exact; for small vocabularies", {},
        {"epochs": "max_iter"},
    ),
}  # fmt: skip


def build(name: str, seed: int, options: Mapping[str, Any]) -> Any:
    """An unfitted model for `--method name`; options that are None were not given."""
    method = METHODS[name]
    known = {**USUAL, **method.arguments}
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in known:
            able = [other for other, line in METHODS.items() if option in line.arguments]
            raise ValueError(
                f"--{option} does not go with --method {name}; it goes with {', '.join(able)}."
            )
    arguments = {known[option]: value for option, value in given.items()}
    return getattr(lowdim, method.estimator)(**method.settings, **arguments, random_state=seed)


@contextmanager
def warnings_by_option(name: str) -> Iterator[None]:
    """What a fit warns of, with the option of `--method name` in place of the class's argument."""
    argument = METHODS[name].arguments.get("epochs")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for one in caught:
        text = str(one.message)
        if argument is not None:
            text = text.replace(f"Raise {argument} or tol.", "Raise --epochs.")
        warnings.warn_explicit(text, one.category, one.filename, one.lineno)

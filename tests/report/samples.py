"""Text that tries to be markup, a table full of it, and HTML read back."""

import re
from contextlib import contextmanager
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.report.explore import contest

HOSTILE = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
MATH = "$$\\alpha$$"


def planted_table(n=160, missing=0.08, seed=0):
    """Two factors, two groups, one odd row; names and values that try to be markup."""
    random = np.random.default_rng(seed)
    group = np.arange(n) % 2
    Z = random.normal(size=(n, 2)) + 6 * group[:, None] * [1, 0]
    X = Z @ random.normal(size=(2, 6)) + 0.2 * random.normal(size=(n, 6))
    X[random.random(X.shape) < missing] = np.nan
    X[7, 0] = X[9, 0] - 5.0  # rows of one group, and noise of 0.2
    names = ["a", "b", "c", HOSTILE, MATH, "[[map]]"]
    table = pd.DataFrame(X, columns=names)
    table["word"] = np.where(group == 0, HOSTILE, "right")
    table.loc[3, "word"] = None
    table["name"] = [f"row <b>{i}</b>" for i in range(n)]
    return table


@contextmanager
def two_methods():
    """In it pages compare two methods only; the comparison has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contest, "models", lambda *_: {"PPCA": [lowdim.ProbabilisticPCA(1)]})
        yield


class Elements(HTMLParser):
    """The elements of a page, as a browser would find them.

    Attributes
    ----------
    tags, ids : list of str
    handlers : list of str
        Attributes such as onclick.
    links : list of str
        Whatever an element points to.
    styles : list of str
        Style attributes.
    scripts : list of str
        The text of those that run.
    policy : str
    """

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.handlers, self.links, self.styles = [], [], [], [], []
        self.scripts, self.policy = [], ""
        self._runs = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            self.ids += [value] if name == "id" else []
            self.handlers += [value] if name.startswith("on") else []
            self.links += [value] if name in ("href", "src") else []
            self.styles += [value] if name == "style" else []
        self._runs = tag == "script" and "type" not in dict(attrs)
        if self._runs:
            self.scripts.append("")
        if tag == "meta" and dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]

    def handle_data(self, data):
        if self._runs:
            self.scripts[-1] += data

    def handle_endtag(self, tag):
        self._runs = False


# ---- what holds for every page, whatever it is about ---------------------------------------------


def assert_nothing_becomes_markup(text):
    """Names and texts of the data stay text."""
    page = Elements(text)
    assert page.handlers == [] and page.styles == [] and "img" not in page.tags
    assert HOSTILE not in text and text.count("</script>") == page.tags.count("script")


def assert_can_be_written(text):
    """No character of the data stands in the way, or turns the direction of what follows."""
    text.encode("utf-8")
    outside = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert "\x00" not in text and "\u202e" not in outside and "\ud800" not in text


def assert_loads_nothing(text):
    """Links go to the page itself, and the policy forbids the rest."""
    page = Elements(text)
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert len(page.ids) == len(set(page.ids))
    assert "default-src &#39;none&#39;" in text


def assert_labelled(text):
    """Every control has a label, and what scrolls is reached by the keyboard; how many controls."""
    controls = re.findall(r"<(?:select|input)\b", text)
    assert len(re.findall(r"<label>[^<]*<(?:select|input)\b", text)) == len(controls)
    boxes = re.findall(r'<div class="scroll[^"]*"[^>]*>', text)
    assert boxes and all('tabindex="0"' in box and "aria-label" in box for box in boxes)
    return len(controls)

"""The Python script that gives the topics of the page again, by the public names of lowdim."""

from __future__ import annotations

from typing import Any, NamedTuple

from lowdim.report.topics.findings import Findings, Wishes

FIRST_LINE = '"""The topics of a page of lowdim topics, found again."""'


class Source(NamedTuple):
    """Where documents came from, as arguments of `lowdim.corpus`."""

    path: str | None  # None: they were in memory
    arguments: dict[str, Any]


def script(findings: Findings, source: Source, wishes: Wishes, seed: int) -> str:
    """A script that repeats what the page did."""
    parts = [_reading(findings, source, seed), _model(findings, wishes, seed), _going_on(findings)]
    body = "\n".join(parts)
    imports = "import lowdim\n"
    if "np." in body:
        imports = f"import numpy as np\n\n{imports}"
    if "choose_vocabulary(" in body:
        imports += (
            "from lowdim.text.languages import stemmer_of, stop_words_of\n"
            if "stemmer_of(" in body
            else "from lowdim.text.languages import stop_words_of\n"
            if "stop_words_of(" in body
            else ""
        )
        imports += "from lowdim.text.vocabulary import choose_vocabulary\n"
    return f"{FIRST_LINE}\n\n{imports}\n{body}"


def _reading(findings: Findings, source: Source, seed: int) -> str:
    given = "".join(f", {name}={value!r}" for name, value in source.arguments.items())
    if source.path is None:
        opened = f"lowdim.corpus(documents{given})  # what the page is about, in memory"
    else:
        opened = f'lowdim.corpus({source.path!r}{given}, decode_error="replace")'
    text = f"# the documents, read anew for every pass\ndocuments = {opened}\n"
    reading = findings.reading
    if reading.numbers is not None:
        n, size = reading.n_read, len(reading.numbers)
        text += (
            f"chosen = np.sort(np.random.default_rng({seed}).choice({n}, {size}, replace=False))\n"
            "documents = documents.take(chosen)\n"
        )
    return text


def _model(findings: Findings, wishes: Wishes, seed: int) -> str:
    k = findings.model.n_components_
    arguments = [str(k)]
    if wishes.method != "lda":
        arguments.append(f"method={wishes.method!r}")
    arguments.append(f"random_state={seed}")
    made = f"lowdim.TopicModel({', '.join(arguments)})"
    usual = wishes.language == "auto" and not wishes.stem and wishes.ngrams == 1
    if usual:
        return f"# the topics\nmodel = {made}.fit(documents)\nshares = model.transform(documents)\n"
    return f"""\
# the words that count, and the topics
words = choose_vocabulary(
    documents,
    stop_words={_stop_words(findings)},
    stemmer={_stemmer(findings, wishes)},
    ngram_range=(1, {wishes.ngrams}),
)
model = {made}
model.fit_counts(words.counts, words.vectorizer)
shares = model.shares(words.counts)
"""


def _stop_words(findings: Findings) -> str:
    return "None" if findings.language is None else f"stop_words_of({findings.language!r})"


def _stemmer(findings: Findings, wishes: Wishes) -> str:
    return f"stemmer_of({findings.language!r})" if wishes.stem else "None"


def _going_on(findings: Findings) -> str:
    chosen = ""
    if findings.choice is not None:
        chosen = f"""
# how many topics: on a sample of the documents it was {findings.choice.choice}
counts = model.vectorizer_.transform(documents)
print(lowdim.choose_topics(counts[:2000], model={findings.model.method!r}))
"""
    return f"""\
for name, words in zip(model.topic_names(), model.top_words(10)):
    print(name, words)

# further documents; a file that lowdim.load reads
print(model.transform(["a new document"]).round(2))
model.save("topics.lowdim")
{chosen}"""

"""A corpus with a truth to find: three subjects, labels, dates, copies, an odd document."""

import numpy as np

from tests.report.samples import HOSTILE, MATH

SEA = "ship harbour sailor wave anchor captain island storm tide compass".split()
SKY = "star planet moon orbit telescope comet galaxy rocket eclipse meteor".split()
FOOD = "bread butter cheese soup kitchen recipe oven flour sugar pepper".split()
SUBJECTS = {"sea": SEA, "sky": SKY, "food": FOOD}
NASTY = {
    "markup": HOSTILE,
    "math": MATH,
    "nul": "ship \x00 harbour",
    "surrogate": "star \ud800 moon",
    "bidi": "bread \u202eretaw\u202c butter",
    "emoji": "captain \U0001f469\u200d\U0001f52c island",
    "arabic": "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645 ship",
    "long": "x" * 1_000_000,
    "empty": "",
    "formula": "$$\\frac{1}{2}$$ \\(x\\) soup",
}


def planted_texts(n=90, words=40, seed=0):
    """(texts, labels): each document is of one subject, with some words of another one."""
    random = np.random.default_rng(seed)
    labels = [list(SUBJECTS)[i % 3] for i in range(n)]
    texts = []
    for i, label in enumerate(labels):
        other = list(SUBJECTS)[(i + 1 + i // 3 % 2) % 3]
        drawn = [
            *random.choice(SUBJECTS[label], words - words // 10),
            *random.choice(SUBJECTS[other], words // 10),
        ]
        random.shuffle(drawn)
        texts.append("The " + " and the ".join(drawn) + ".")
    return texts, labels


def planted_records(n=90, seed=0, nasty=True):
    """A list of dicts: text, name, subject, day; with hostile texts, a copy and an odd one."""
    texts, labels = planted_texts(n, seed=seed)
    records = [
        {
            "text": text,
            "name": f"letter <b>{i}</b>",
            "subject": label,
            "day": f"20{10 + i * 10 // n:02d}-0{1 + i % 9}-15",
        }
        for i, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    records.append({**records[0], "name": "copy"})
    odd = "The " + " and the ".join([*(SEA[:4] * 2), *(SKY[:4] * 2), *(["bread"] * 30)])
    records.append({**records[1], "name": "odd", "text": odd})
    if nasty:
        for name, text in NASTY.items():
            records.append(
                {"text": text, "name": f"{name} {HOSTILE}", "subject": HOSTILE, "day": None}
            )
    return records

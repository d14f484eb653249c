"""The script finds what the page says again."""

import numpy as np
import pytest

import lowdim
from lowdim.report.words.script import FIRST_LINE
from tests.report.words.planted import QUESTIONS, planted_vectors, turned


def run(report, folder, monkeypatch, **names):
    assert report.script.startswith(FIRST_LINE)
    monkeypatch.chdir(folder)
    exec(compile(report.script, "script", "exec"), names)
    return names


@pytest.mark.parametrize("name", ["v.lowdim", "v.txt", "v.bin"])
def test_running_it_gives_the_same_findings(name, tmp_path, monkeypatch, capsys):
    vectors = planted_vectors()
    path = tmp_path / name
    if name == "v.lowdim":
        vectors.save(path)
    else:
        vectors.save_word2vec_format(path, binary=name == "v.bin")
    report = lowdim.words(path)
    names = run(report, tmp_path, monkeypatch)
    found = report.findings
    assert names["words"] == found.words
    np.testing.assert_allclose(names["points"], found.plane.points, atol=1e-5)
    np.testing.assert_array_equal(names["index"], found.near[0].index)
    pairs = {*zip(names["labels"].tolist(), found.groups.labels.tolist(), strict=True)}
    assert len(pairs) == len(found.groups.groups)  # the same clusters, in another order
    assert (tmp_path / "vectors.lowdim").exists() and capsys.readouterr().out


def test_questions_and_other_vectors_are_in_it(tmp_path, monkeypatch, capsys):
    (tmp_path / "q.txt").write_text(QUESTIONS)
    planted_vectors().save(tmp_path / "one.lowdim")
    turned(planted_vectors()).save(tmp_path / "other.lowdim")
    report = lowdim.words(
        tmp_path / "one.lowdim", questions=tmp_path / "q.txt", against=tmp_path / "other.lowdim"
    )
    names = run(report, tmp_path, monkeypatch)
    assert names["score"] == pytest.approx(report.findings.accuracy.total.share)
    assert names["alignment"].translate("ship", topn=1)[0][0] == "ship"


def test_vectors_in_one_space_are_compared_as_they_are(tmp_path, monkeypatch, capsys):
    vectors, other = planted_vectors(), planted_vectors(noise=0.12)
    report = lowdim.words(vectors, against=other)
    assert "align" not in report.script
    run(report, tmp_path, monkeypatch, vectors=vectors, other=other)
    assert "'man'" in capsys.readouterr().out


def test_vectors_in_memory_are_called_so(tmp_path, monkeypatch, capsys):
    vectors = planted_vectors()
    report = lowdim.words(vectors)
    assert "# `vectors`: what the page is about, in memory" in report.script
    run(report, tmp_path, monkeypatch, vectors=vectors)

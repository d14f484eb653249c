"""MovieLens is read in all the forms that GroupLens published."""

import gzip
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim.datasets import load_movielens

LINES = [(1, 10, 4.0, 100), (1, 20, 3.0, 200), (7, 20, 5.0, 300)]

TITLES = {10: "Tea, the film (1999)", 20: "Amélie (2001)"}


def write_form(folder, form):
    """The same ratings in one of the published forms."""
    folder.mkdir(exist_ok=True)
    if form == "csv":
        rows = ["userId,movieId,rating,timestamp", *(",".join(map(str, x)) for x in LINES)]
        movies = ["movieId,title,genres", *(f'{i},"{t}",Drama|Comedy' for i, t in TITLES.items())]
        files = {"ratings.csv": rows, "movies.csv": movies}
    elif form == "dat":
        rows = ["::".join(str(int(x)) for x in line) for line in LINES]
        files = {"ratings.dat": rows, "movies.dat": [f"{i}::{t}::A|B" for i, t in TITLES.items()]}
    else:
        rows = ["\t".join(str(int(x)) for x in line) for line in LINES]
        files = {"u.data": rows, "u.item": [f"{i}|{t}|01-Jan" for i, t in TITLES.items()]}
    for name, content in files.items():
        encoding = "utf-8" if form == "csv" else "latin-1"
        (folder / name).write_bytes("\n".join([*content, ""]).encode(encoding))
    return next(iter(files))


@pytest.mark.parametrize("form", ["csv", "dat", "data"])
@pytest.mark.parametrize("packed", ["folder", "file", "zip", "gz"])
def test_every_published_form_gives_the_same(tmp_path, form, packed):
    folder = tmp_path / "ml-small"
    main = write_form(folder, form)
    path = {"folder": folder, "file": folder / main, "zip": tmp_path / "ml.zip"}.get(packed)
    if packed == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in folder.iterdir():
                archive.write(file, f"ml-small/{file.name}")
    if packed == "gz":
        for file in list(folder.iterdir()):
            (folder / f"old_{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
        path = folder / f"old_{main}.gz"
    found = load_movielens(path)
    user, item, rating, timestamp = zip(*LINES, strict=True)
    assert_array_equal(found.user, user)
    assert_array_equal(found.item, item)
    assert_array_equal(found.rating, rating)
    assert_array_equal(found.timestamp, timestamp)
    assert found.titles == TITLES
    assert found.user.dtype == np.int64 and found.rating.dtype == np.float64


def test_arrays_will_do(tmp_path):
    np.savez(tmp_path / "a.npz", user=[1, 2], item=[1, 1], rating=[3, 4], item_title=["x"])
    found = load_movielens(tmp_path / "a.npz")
    assert found.titles == {1: "x"} and found.timestamp is None
    np.savez(tmp_path / "b.npz", user=[1], movie=[5], movie_id=[5], movie_title=["y"])
    found = load_movielens(tmp_path / "b.npz")
    assert found.rating is None and found.titles == {5: "y"} and found.item.tolist() == [5]


def test_ratings_without_titles_have_none(tmp_path):
    write_form(tmp_path / "ml", "csv")
    (tmp_path / "ml" / "movies.csv").unlink()
    assert load_movielens(tmp_path / "ml").titles == {}


def test_what_is_no_movielens_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file or folder .* Get one from"):
        load_movielens(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="holds no ratings of MovieLens"):
        load_movielens(tmp_path)
    (tmp_path / "ratings.csv").write_text("a,b\nc,d\n")
    with pytest.raises(ValueError, match=r"ratings\.csv is not a table of MovieLens ratings"):
        load_movielens(tmp_path)
    (tmp_path / "ratings.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="has 2 columns"):
        load_movielens(tmp_path)
    np.savez(tmp_path / "c.npz", x=[1])
    with pytest.raises(ValueError, match=r"holds x; arrays `user` and `item`"):
        load_movielens(tmp_path / "c.npz")


def test_real_movielens_has_the_published_counts(data_dir):
    # README of ml-100k: 100,000 ratings, 943 users, 1682 items
    ratings = load_movielens(data_dir / "movielens_100k.npz")
    assert (len(ratings.user), len(set(ratings.user)), len(set(ratings.item))) == (
        100_000,
        943,
        1682,
    )
    assert ratings.titles[50] == "Star Wars (1977)"
    # README of ml-latest-small: 100836 ratings, 9742 movies, 610 users
    small = load_movielens(data_dir / "ml_latest_small_ratings.csv.gz")
    assert (len(small.user), len(small.titles), len(set(small.user))) == (100_836, 9742, 610)

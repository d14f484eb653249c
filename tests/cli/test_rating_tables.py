"""Ratings from files: columns found by their names, ids as they are written."""

import csv

import lowdim


def test_ids_are_taken_as_they_are_written(run, write):
    rows = "".join(
        f"0{u},{i:03d},{(u * i) % 5 + 1}\n" for u in range(6) for i in range(u % 3, 9, 2)
    )
    result = run("recommend", write("r.tsv", "who\tx\n1\t2\n"), "--user", "01", code=2)
    assert "--user-column" in result.stderr
    write("r.csv", "who,what,mark\n" + rows)
    names = ("--user-column", "who", "--item-column", "what", "--rating-column", "mark")
    result = run("recommend", "r.csv", *names, "--user", "01", "-n", "2", "-o", "-")
    lines = list(csv.reader(result.stdout.splitlines()))
    assert lines[1][0] == "01" and len(lines[1][1]) == 3


def test_bad_tables_are_one_line(refused, write, numbers):
    assert "no column names" in refused("recommend", "numbers.npy", "--user", "1")
    write("twice.csv", "user,item,rating\n1,2,3\n1,2,4\n")
    assert "more than once" in refused("recommend", "twice.csv", "--user", "1")
    write("empty.csv", "user,item,rating\n1,2,3\n1,3,\n")
    assert "1 line without a number in 'rating' (first: row 2)" in refused(
        "recommend", "empty.csv", "--user", "1"
    )
    lowdim.PCA(1).fit(numbers).save("pca.lowdim")
    assert "holds a PCA" in refused("recommend", "pca.lowdim", "--user", "1")
    assert "--evaluate needs the table" in refused("recommend", "pca.lowdim", "--evaluate")

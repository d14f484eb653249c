"""What `lowdim cluster` says of clusters is in the table's own values, and safe to print."""


def test_typical_rows_are_shown_in_the_values_of_the_table(run, write):
    lines = ["day,price,size,kind"]
    for i in range(40):
        day, size = f"2024-0{1 + i % 2}-{i // 2 + 1:02d}", f"{i % 2 * 100 + i}.50"
        lines.append(f"{day},${1 + i % 2},{size},{'xy'[i % 2]}")
    result = run("cluster", write("t.csv", "\n".join(lines) + "\n"), "-k", "2", "--id", "size")
    typical = [line.split("typical")[1] for line in result.stdout.splitlines() if "typical" in line]
    assert len(typical) == 2
    assert all("kind=" in line and "day 2024-0" in line and "price $" in line for line in typical)
    assert all(line.strip().startswith("size ") for line in typical)


def test_control_characters_of_a_table_do_not_reach_the_terminal(run, write):
    rows = "".join(f"{i % 2 * 9 + i / 10},{'ab'[i % 2]}\x1b[31m\n" for i in range(20))
    result = run("cluster", write("t.csv", "x\x1b[2J,t\n" + rows), "-k", 2)
    assert "\x1b" not in result.output and "\N{REPLACEMENT CHARACTER}" in result.output

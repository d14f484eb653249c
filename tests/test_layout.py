"""How the package is laid out: imports point downwards, tests mirror it, files stay readable.

    cli -> report -> selection -> methods -> tables, plots, linalg -> core

The graph is read from the source, so imports inside functions count as well.
"""

import ast
import functools
import io
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "lowdim"
TESTS = ROOT / "tests"

# package -> its floor; a module imports from its own package and from lower floors. On one floor a
# package may lean on another one, but no two on each other.
FLOORS = {
    "core": 0,
    "linalg": 1,
    "plots": 1,
    "tables": 1,
    "datasets": 1,
    "deep": 2,
    "linear": 2,
    "cluster": 2,
    "mixture": 2,
    "completion": 2,
    "maps": 2,
    "sparse": 2,
    "text": 2,
    "selection": 3,
    "report": 4,
    "cli": 5,
}
EVERYWHERE = {"lowdim._version"}  # a constant
USE_THE_PUBLIC_DOOR = {"cli", "report"}  # `import lowdim`, as users do
MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 50


def module_name(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


def package_of(module):
    """The part of lowdim that a module belongs to; '' for lowdim itself."""
    return [*module.split("."), ""][1]


def imported(module):
    """(name of a module of lowdim, line) of every import, wherever it stands."""
    for node in ast.walk(ast.parse(MODULES[module].read_text())):
        if isinstance(node, ast.Import):
            yield from ((a.name, node.lineno) for a in node.names if a.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            assert node.level == 0, f"{module}:{node.lineno}: write the import in full"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner if inner in MODULES else node.module), node.lineno


@functools.cache
def graph():
    """What every module imports; read when a test asks, not wherever tests are collected."""
    return {module: sorted(set(imported(module))) for module in MODULES}


def run_by(module):
    """The modules that run when a module is imported: its imports, and the packages they are in."""
    for other, _ in graph()[module]:
        parts = other.split(".")
        packages = (".".join(parts[:depth]) for depth in range(2, len(parts)))
        yield from (name for name in packages if not f"{module}.".startswith(f"{name}."))
        yield other


def circles(graph):
    """The sets of nodes that reach each other (strongly connected components of two or more)."""

    def reach(node):
        seen, waiting = set(), [node]
        while waiting:
            for other in graph.get(waiting.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return seen

    reached = {node: reach(node) for node in graph}
    found = {
        frozenset(other for other in graph if other in reached[node] and node in reached[other])
        for node in graph
        if node in reached[node]
    }
    return sorted(sorted(circle) for circle in found)


def test_every_package_has_a_floor():
    packages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert packages == set(FLOORS)


def test_imports_point_downwards():
    upwards = [
        f"{module}:{line} imports {other}"
        for module in MODULES
        if (package := package_of(module)) in FLOORS
        for other, line in graph()[module]
        if other not in EVERYWHERE
        and not (other == "lowdim" and package in USE_THE_PUBLIC_DOOR)
        and not (other == "lowdim.registry" and package == "cli")
        and FLOORS.get(package_of(other), 9) > FLOORS[package]
    ]
    assert not upwards


def test_no_two_packages_lean_on_each_other():
    leans = {package: set() for package in FLOORS}
    for module, others in graph().items():
        for other, _ in others:
            here, there = package_of(module), package_of(other)
            if here != there and here in leans and there in leans:
                leans[here].add(there)
    assert circles(leans) == []


def test_no_modules_import_each_other_in_a_circle():
    assert circles({module: list(run_by(module)) for module in MODULES}) == []


def test_circles_are_found():
    assert circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}) == [["b", "c"]]
    assert circles({"a": ["a"]}) == [["a"]]
    assert circles({"a": ["b", "c"], "b": ["c"], "c": []}) == []


# ---- tests ---------------------------------------------------------------------------------------


def test_every_module_has_a_test_file_of_its_own():
    without = [
        str(path.relative_to(SOURCE))
        for path in MODULES.values()
        if path.name not in ("__init__.py", "__main__.py", "_version.py")
        and not (TESTS / path.relative_to(SOURCE).with_name(f"test_{path.name}")).exists()
    ]
    assert not without, f"{len(without)} of {len(MODULES)}: {', '.join(without)}"


# ---- readable files ------------------------------------------------------------------------------

NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def lines_of_code(source, tree):
    """The numbers of the lines that are neither blank nor comments nor docstrings."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            text = node.body[0]
            lines -= set(range(text.lineno, text.end_lineno + 1))
    return lines


@pytest.mark.parametrize("package", ["", *FLOORS])
def test_files_and_functions_are_short_enough_to_be_read(package):
    too_long = [
        problem
        for module in MODULES
        if package_of(module) == package
        for problem in too_long_in(module, MODULES[module].read_text())
    ]
    assert not too_long, "split by meaning: " + "; ".join(too_long)


def too_long_in(module, source):
    """What is too long in the source of a module: itself, or functions in it."""
    tree = ast.parse(source)
    functions = [  # those that may be: the others have fewer lines altogether
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    if not functions and len(source.splitlines()) <= MOST_LINES:
        return
    lines = lines_of_code(source, tree)
    if len(lines) > MOST_LINES:
        yield f"{module} has {len(lines)} lines of code"
    for node in functions:
        own = len(lines.intersection(range(node.lineno, node.end_lineno + 1)))
        if own > MOST_LINES_OF_A_FUNCTION:
            yield f"{module}: {node.name} has {own} lines"


def test_what_is_too_long_is_found():
    function = "def f():\n" + "    x = 1\n" * 50
    assert list(too_long_in("m", function)) == ["m: f has 51 lines"]
    assert list(too_long_in("m", "x = 1\n" * 401)) == ["m has 401 lines of code"]
    assert list(too_long_in("m", "x = 1\n" * 400)) == []


def test_lines_of_code_are_counted_without_what_is_said_about_them():
    source = '''"""Text
of two lines."""

x = 1  # one
# two

def f():
    """Text."""
    return """a
b"""
'''
    assert lines_of_code(source, ast.parse(source)) == {4, 7, 9, 10}

"""The shape of the code: one noun a module, short functions, and nothing that grows unseen."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parent.parent / "src").rglob("*.py"))
MODULE_LINES = 400
FUNCTION_LINES = 50
CLASS_METHODS = 20


def name(path: Path) -> str:
    """A module's path below `src`, for the test's id."""
    return str(path.relative_to(path.parents[path.parts[::-1].index("src") - 1]))


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_a_module_stays_short_and_explains_itself(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= MODULE_LINES
    if tree.body:
        assert ast.get_docstring(tree), "a module's docstring gives its section and its rule"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= FUNCTION_LINES, f"{node.name} has {lines} lines"
        if isinstance(node, ast.ClassDef):
            methods = [
                part
                for part in node.body
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
                and not any(isinstance(each, ast.Name) and each.id == "property" for each in part.decorator_list)
            ]
            assert len(methods) <= CLASS_METHODS, f"{node.name} has {len(methods)} methods"

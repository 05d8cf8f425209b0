"""Every Python block of the pages is run, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

BLOCK = re.compile(r"^```python( torch| jax)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NEEDS = {"torch": ("torch", "onnxscript"), "jax": ("jax2onnx",)}


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(kind.strip(), code) for kind, code in BLOCK.findall(page.read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("docs")
    (made / "examples").symlink_to(ROOT / "examples")
    return made


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return {}


@pytest.mark.parametrize(("kind", "code"), blocks(ROOT / "docs" / "python.md"))
def test_a_block_of_the_page_runs(folder, names, monkeypatch, kind, code):
    for module in NEEDS.get(kind, ()):
        pytest.importorskip(module, reason=f"{module} is not installed")
    monkeypatch.chdir(folder)
    exec(compile(code, "docs/python.md", "exec"), names)


@pytest.mark.parametrize(("kind", "code"), blocks(ROOT / "README.md"))
def test_a_block_of_the_readme_runs(folder, monkeypatch, capsys, kind, code):
    monkeypatch.chdir(folder)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == "True\n"


def test_the_reader_of_the_page_reads_both_kinds_of_action(folder, names, residual, x, monkeypatch):
    import numpy as np

    import isoloss

    found = isoloss.discover(
        residual,
        moving=["head.bias"],
        protect=x,
        action="conjugated",
        recipe={"steps": 20, "width": 16},
        progress=False,
    )
    reader = names["Action"](str(found.folder))
    for t in (-0.5, 0.3):
        expected = found.theta(t)
        assert np.abs(reader.theta(t) - expected).max() < 1e-12 * np.abs(expected).max()
        assert np.abs(found.origin - expected).max() > 1e-6 * np.abs(expected).max()


def test_the_reader_is_short():
    reader = next(code for kind, code in blocks(ROOT / "docs" / "python.md") if "class Action" in code)
    lines = reader.partition("\nagain = ")[0].strip().splitlines()
    assert len(lines) <= 60

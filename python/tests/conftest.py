"""What the tests share: the examples of the repository, and one short discovery."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isoloss

ROOT = Path(__file__).resolve().parents[2]
MOVING = ["up1.weight[:, 0]", *(f"head.weight[:, {unit}]" for unit in (2, 4, 9, 14))]
SHORT = {"steps": 40, "width": 16}


@pytest.fixture(scope="session")
def examples() -> Path:
    return ROOT / "examples"


@pytest.fixture(scope="session")
def digits(examples: Path) -> np.ndarray:
    """All images, one a row."""
    return np.loadtxt(examples / "digits" / "digits.csv.gz", delimiter=",")[:, :64].astype(np.float32) / 16


@pytest.fixture(scope="session")
def x(digits: np.ndarray) -> np.ndarray:
    """The protected images."""
    return digits[1427:1431]


@pytest.fixture(scope="session")
def residual(examples: Path) -> isoloss.Model:
    return isoloss.read(examples / "networks" / "residual.onnx")


@pytest.fixture(scope="session")
def found(residual: isoloss.Model, x: np.ndarray) -> isoloss.Run:
    return isoloss.discover(residual, moving=MOVING, protect=x, recipe=SHORT, progress=False)

"""
isoloss: the continuous symmetries of neural network parameters.

It finds transformations of trained weights that leave the outputs of a network on given inputs unchanged, measures how
exact they are, and gives the moved weights as numpy arrays and torch tensors::

    model = isoloss.read("net.onnx")
    found = isoloss.discover(model, moving=["conv1.weight[0]", "head.weight"], protect=x, seed=101)
    found.evaluation.verdict
    found.theta(0.5)
"""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from isoloss._comparisons import align, check
from isoloss._discovery import discover
from isoloss._edits import Edited, compensate, move, transform
from isoloss._jax import from_jax
from isoloss._listings import recover, symmetries
from isoloss._model import Model, read
from isoloss._results import Result
from isoloss._run import Run
from isoloss._torch import from_torch
from isoloss.errors import InputError, IsolossError, UnusableError

if TYPE_CHECKING:
    from isoloss._evaluation import Evaluation

try:
    __version__ = version("isoloss")
except PackageNotFoundError:  # not installed
    __version__ = "unknown"

__all__ = [
    "Edited",
    "Evaluation",
    "InputError",
    "IsolossError",
    "Model",
    "Result",
    "Run",
    "UnusableError",
    "align",
    "check",
    "compensate",
    "discover",
    "from_jax",
    "from_torch",
    "move",
    "read",
    "recover",
    "symmetries",
    "transform",
]


def __getattr__(name: str) -> Any:
    """Load what needs pandas when it is first asked for."""
    if name == "Evaluation":
        from isoloss._evaluation import Evaluation

        return Evaluation
    raise AttributeError(f"module 'isoloss' has no attribute '{name}'")

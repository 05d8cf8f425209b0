"""Modules of PyTorch; skipped where it is not installed."""

from __future__ import annotations

import numpy as np
import pytest

import isoloss

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("onnxscript", reason="onnxscript, which torch needs to export, is not installed")
pytestmark = pytest.mark.torch


class Block(torch.nn.Module):
    """Attention and a feed-forward block on embedded tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(20, 16)
        self.norm = torch.nn.LayerNorm(16)
        self.attention = torch.nn.MultiheadAttention(16, 4, batch_first=True)
        self.up = torch.nn.Linear(16, 32)
        self.head = torch.nn.Linear(32, 5)

    def forward(self, ids):
        y = self.embed(ids)
        q = self.norm(y)
        y = y + self.attention(q, q, q, need_weights=False)[0]
        return self.head(torch.nn.functional.gelu(self.up(y)))[:, -1]


class Picture(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.head = torch.nn.Linear(64, 3)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).flatten(1))


def mlp() -> torch.nn.Module:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.GELU(), torch.nn.Linear(12, 3))


@pytest.mark.parametrize(
    ("make", "example"),
    [
        (mlp, lambda: torch.randn(4, 6)),
        (Block, lambda: torch.randint(0, 20, (3, 7))),
        (Picture, lambda: torch.randn(4, 1, 4, 4)),
    ],
)
def test_a_module_computes_the_same_as_a_model(make, example):
    torch.manual_seed(2)
    module, inputs = make(), example()
    module.train()
    model = isoloss.from_torch(module, inputs)
    assert module.training
    assert set(model.shapes) == {name for name, _ in module.named_parameters()}
    expected = module.eval()(inputs).detach().numpy()
    assert np.abs(model(inputs) - expected).max() < 1e-5
    more = torch.cat([inputs, inputs])  # another number of rows
    assert np.abs(model(more) - module(more).detach().numpy()).max() < 1e-5


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_state_dict_goes_back_into_the_module(dtype):
    module = mlp().to(dtype)
    inputs = torch.randn(2, 6, dtype=dtype)
    model = isoloss.from_torch(module, inputs)
    found = isoloss.discover(
        model, moving=["0.weight[0]", "2.weight"], protect=inputs, recipe={"steps": 30, "width": 16}, progress=False
    )
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    state = found.state_dict(0.4)
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in state.items()} == {
        name: (tensor.dtype, tensor.shape) for name, tensor in before.items()
    }
    assert all(torch.equal(module.state_dict()[name], before[name]) for name in before)
    module.load_state_dict(state)
    assert np.allclose(module(inputs).detach().numpy(), model(inputs, found.tensors(0.4)), rtol=0, atol=1e-5)
    assert not torch.equal(state["0.weight"], before["0.weight"])
    assert torch.equal(state["0.weight"][1:], before["0.weight"][1:])


def test_a_kept_run_of_a_module_outlives_it(tmp_path):
    inputs = torch.randn(2, 6)
    model = isoloss.from_torch(mlp(), inputs)
    arguments = {"moving": ["2.weight"], "protect": inputs, "recipe": {"steps": 20, "width": 8}, "progress": False}
    thetas = isoloss.discover(model, out=tmp_path, **arguments).theta(0.2)
    del model
    opened = isoloss.Run(tmp_path)
    assert np.array_equal(opened.theta(0.2), thetas)
    assert set(opened.state_dict(0.2)) == {"2.weight"}


class Undecided(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: isoloss.from_torch(3, torch.ones(1, 6)), "int is not a torch.nn.Module"),
        (
            lambda: isoloss.from_torch(mlp().bfloat16(), torch.ones(1, 6)),
            r"0.weight is of torch.bfloat16, .*give module.float\(\)",
        ),
        (lambda: isoloss.from_torch(mlp().to("meta"), torch.ones(1, 6)), r"0.weight is on meta; give module.cpu\(\)"),
        (
            lambda: isoloss.from_torch(mlp(), torch.ones(1, 6).half()),
            r"example 0 is of torch.float16, .*give example.float\(\)",
        ),
        (lambda: isoloss.from_torch(mlp(), [1.0]), "example 0 is a list, expected a torch.Tensor"),
        (lambda: isoloss.from_torch(mlp(), torch.ones(1, 5)), "torch cannot export Sequential: .*5"),
        (lambda: isoloss.from_torch(Undecided(), torch.ones(2, 6)), "torch cannot export Undecided: .*read the file"),
        (lambda: isoloss.read(mlp()), "a torch module becomes one by isoloss.from_torch"),
    ],
)
def test_what_is_refused(call, line):
    with pytest.raises(isoloss.IsolossError, match=line) as failure:
        call()
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda x: x.bfloat16(), r"protect is of torch.bfloat16, which numpy does not have; give protect.float\(\)"),
        (lambda x: x.to("meta"), r"protect is on meta; give protect.cpu\(\)"),
    ],
)
def test_tensors_elsewhere_or_of_other_types(residual, change, line):
    with pytest.raises(isoloss.InputError, match=line):
        isoloss.discover(residual, protect=change(torch.ones(4, 64)))

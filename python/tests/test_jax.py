"""Functions of JAX; skipped where it is not installed."""

from __future__ import annotations

import numpy as np
import pytest

import isoloss

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("jax2onnx", reason="jax2onnx is not installed")
pytestmark = pytest.mark.jax
jnp = jax.numpy


def mlp(params, x):
    for layer in params["hidden"]:
        x = jax.nn.gelu(x @ layer["w"] + layer["b"])
    return x @ params["out"]


def parameters():
    keys = jax.random.split(jax.random.key(1), 3)
    return {
        "hidden": [
            {"w": jax.random.normal(keys[0], (6, 8)), "b": jnp.ones(8)},
            {"w": jax.random.normal(keys[1], (8, 8)), "b": jnp.zeros(8)},
        ],
        "out": jax.random.normal(keys[2], (8, 3)),
    }


def test_a_function_computes_the_same_as_a_model():
    params, x = parameters(), np.random.default_rng(1).standard_normal((4, 6)).astype(np.float32)
    model = isoloss.from_jax(mlp, params, x)
    assert model.shapes["hidden.0.w"] == (6, 8)
    assert set(model.shapes) == {"hidden.0.w", "hidden.0.b", "hidden.1.w", "hidden.1.b", "out"}
    assert np.abs(model(x) - mlp(params, x)).max() < 1e-5
    more = np.concatenate([x, x, x])
    assert np.abs(model(more) - mlp(params, more)).max() < 1e-5
    doubled = {**params, "out": 2 * params["out"]}
    assert np.abs(model(x, {"out": np.asarray(doubled["out"])}) - mlp(doubled, x)).max() < 1e-5


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda x: isoloss.from_jax(3, {}, x), "int is not a function"),
        (lambda x: isoloss.from_jax(mlp, parameters(), x[:, :5]), "jax2onnx cannot export the function: "),
        (lambda x: isoloss.from_jax(mlp, {"out": jnp.ones(3, jnp.bfloat16)}, x), "bfloat16"),
    ],
)
def test_what_is_refused(call, line):
    with pytest.raises(isoloss.IsolossError, match=line) as failure:
        call(np.ones((4, 6), np.float32))
    assert "\n" not in str(failure.value)

"""What a model is, and what is refused."""

from __future__ import annotations

import errno

import numpy as np
import pandas as pd
import pytest

import isoloss
from isoloss import _arrays, _runtime


def test_a_model_says_what_it_is(residual):
    assert repr(residual) == "isoloss.Model(residual.onnx: 2,066 parameters in 14 tensors, images -> logits)"
    assert residual.shapes["up1.weight"] == (12, 16)
    assert residual.parameter_count == sum(array.size for array in residual.state_dict().values())
    assert "<td>up1.weight</td><td>12 × 16</td>" in residual._repr_html_()


def test_outputs_of_a_dense_network_by_a_second_route(examples, x):
    model = isoloss.read(examples / "digits" / "tanh.safetensors")
    w = model.state_dict()
    expected = np.tanh(x @ w["0.weight"].T + w["0.bias"]) @ w["2.weight"].T + w["2.bias"]
    assert np.allclose(model(x), expected, rtol=0, atol=1e-12)
    doubled = {"2.weight": 2 * w["2.weight"], "2.bias": 2 * w["2.bias"]}
    assert np.allclose(model(x, doubled), 2 * expected, rtol=0, atol=1e-12)


def test_outputs_agree_with_those_of_another_program(examples):
    with (
        np.load(examples / "digits" / "tanh-inputs.npz") as inputs,
        np.load(examples / "digits" / "tanh-outputs.npz") as outputs,
    ):
        model = isoloss.read(examples / "digits" / "tanh.onnx")
        assert np.allclose(model(dict(inputs)), next(iter(outputs.values())), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        np.ndarray.tolist,
        pd.DataFrame,
        lambda a: a.astype(np.float64),
        np.asfortranarray,
        lambda a: {"images": a},
    ],
)
def test_inputs_of_many_kinds_are_the_same(residual, x, convert):
    assert np.array_equal(residual(convert(x)), residual(x))


def test_an_activation_that_the_file_does_not_name(tmp_path):
    rng = np.random.default_rng(3)
    weights = {"0.weight": rng.standard_normal((3, 2)), "2.weight": rng.standard_normal((1, 3))}
    np.savez(tmp_path / "small.npz", **weights)
    points = rng.standard_normal((5, 2))
    model = isoloss.read(tmp_path / "small.npz", activation="relu")
    expected = np.maximum(points @ weights["0.weight"].T, 0) @ weights["2.weight"].T
    assert np.allclose(model(points), expected, rtol=0, atol=1e-12)
    with pytest.raises(isoloss.InputError, match="activation"):
        isoloss.read(tmp_path / "small.npz")


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (3, "int is not a model: expected an isoloss.Model, or the path of an ONNX file"),
        (None, "NoneType is not a model"),
        (np.ones(3), "numpy.ndarray is not a model"),
        (lambda x: x, r"a function of JAX becomes one by isoloss.from_jax\(function, params, example\)"),
    ],
)
def test_objects_that_are_not_models(value, line):
    for call in (isoloss.read, isoloss.symmetries, lambda v: isoloss.discover(v, protect=np.ones((1, 2)))):
        with pytest.raises(isoloss.InputError, match=line):
            call(value)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("text", "x is of type str with entries of type <U4, expected float32, float64 or integers"),
        (np.ones((4, 64), complex), "complex128"),
        (np.array([[1, "a"]], object), "object"),
        (1.0, "expected one input a row"),
        (np.ones((0, 64)), "expected one input a row"),
        (np.full((4, 64), np.nan), "infinite or NaN"),
        ([[1.0], [1.0, 2.0]], "x is of type list, expected an array of numbers"),
        ({"image": np.ones((4, 64))}, "x names the input 'image', and the model has 'images'"),
        (np.ones((4, 63)), "63"),
    ],
)
def test_inputs_that_do_not_fit(residual, value, line):
    with pytest.raises(isoloss.IsolossError, match=line) as failure:
        residual(value)
    assert "\n" not in str(failure.value)


def test_weights_that_do_not_fit(residual, x):
    with pytest.raises(isoloss.InputError, match=r"no parameter 'nope'; it has embed.weight"):
        residual(x, {"nope": np.ones(3)})
    with pytest.raises(isoloss.InputError, match=r"'head.bias' has shape \(3,\), expected \(10,\)"):
        residual(x, {"head.bias": np.ones(3)})


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"moving": ["nope"]}, "nope"),
        ({"moving": "head.weight"}, r"expected a list of tensors such as \['head.weight'\]"),
        ({"moving": ["head.weight"], "site": {"layer": 0}}, "both say what moves"),
        ({"seed": 1.5}, "seed is 1.5, expected a whole number"),
        ({"recipe": {"stesp": 3}}, "stesp"),
        ({"recipe": {"steps": object()}}, "a value that YAML does not know"),
        ({"objective": "none"}, "none"),
        ({"protect": np.ones((4, 3), np.float32)}, "3"),
    ],
)
def test_a_refused_discovery_leaves_no_run(residual, x, tmp_path, changes, line):
    with pytest.raises(isoloss.IsolossError, match=line) as failure:
        isoloss.discover(residual, **{"protect": x, "out": tmp_path, "progress": False, **changes})
    assert "\n" not in str(failure.value)
    assert not (tmp_path / "seed-101").exists()


def test_a_folder_that_cannot_be_made(residual, x, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(isoloss.IsolossError, match="cannot be made"):
        isoloss.discover(residual, protect=x, out=tmp_path / "file" / "run", progress=False)


def test_a_full_disk_leaves_nothing_half_written(tmp_path, monkeypatch):
    def full(file, **arrays):
        file.write(b"some")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(isoloss.IsolossError, match=r"inputs.npz cannot be written: No space left on device"):
        _arrays.save(tmp_path / "inputs.npz", {"x": np.ones(3)})
    assert list(tmp_path.iterdir()) == []


def test_no_room_for_temporary_files(residual, x, monkeypatch):
    def full(**arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_arrays.tempfile, "TemporaryDirectory", full)
    with pytest.raises(isoloss.IsolossError, match=r"no temporary folder .* make room, or set TMPDIR"):
        residual(x)


def test_failures_are_of_the_kinds_that_are_documented():
    assert issubclass(isoloss.InputError, ValueError)
    assert issubclass(isoloss.InputError, isoloss.IsolossError)
    assert issubclass(isoloss.UnusableError, isoloss.IsolossError)
    with pytest.raises(isoloss.IsolossError, match=r"^no such file or folder: .*none\.onnx$"):
        isoloss.read("none.onnx")


def test_a_fit_that_diverges_is_not_usable(residual, x):
    with pytest.raises(isoloss.UnusableError, match="lower the learning rate"):
        isoloss.discover(residual, protect=x, recipe={"steps": 40, "width": 8, "constant": 1e30}, progress=False)


def test_the_package_and_its_java_are_of_one_version():
    version = _runtime.call(_runtime.java("Job").version)
    assert str(version) == isoloss.__version__


def test_a_java_that_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv("ISOLOSS_JAVA_HOME", str(tmp_path))
    with pytest.raises(isoloss.IsolossError, match="holds no Java"):
        _runtime._start()

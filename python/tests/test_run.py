"""The laws that a run keeps, and its numbers by a second route."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import MOVING, SHORT

import isoloss


def test_time_zero_is_the_network_itself(found, residual):
    weights = residual.state_dict()
    assert np.array_equal(found.theta(0), found.origin)
    assert found.parameter_count == 12 + 4 * 10
    assert np.array_equal(found.origin[:12], weights["up1.weight"][:, 0])
    assert not np.allclose(found.theta(0.5), found.origin, atol=1e-4)


@pytest.mark.parametrize("shape", [(), (3,), (2, 5), (0,), (1, 1, 1)])
def test_times_may_have_any_shape(found, shape):
    t = np.random.default_rng(1).uniform(-0.5, 0.5, shape)
    thetas = found.theta(t)
    assert thetas.shape == (*shape, 52)
    for index in np.ndindex(*shape):
        assert np.allclose(thetas[index], found.theta(t[index]), rtol=0, atol=1e-13)


def test_elements_and_points_broadcast(found):
    g = found.element([0.1, 0.2, 0.3])[:, np.newaxis]
    points = found.origin + 0.01 * np.random.default_rng(2).standard_normal((4, 52))
    moved = found.action(g, points)
    assert moved.shape == (3, 4, 52)
    assert np.allclose(moved[1, 2], found.action(g[1, 0], points[2]), rtol=0, atol=1e-13)


def test_large_batches_are_cut_and_joined(found):
    many = found.theta(np.linspace(-0.5, 0.5, 5000))
    assert np.allclose(
        many[[0, 4095, 4096, 4999]],
        found.theta(np.linspace(-0.5, 0.5, 5000)[[0, 4095, 4096, 4999]]),
        rtol=0,
        atol=1e-13,
    )


def test_the_field_is_the_derivative(found):
    h = 1e-4  # a central difference errs by h^2 / 6 of the third derivative, and by rounding over h
    slope = (found.theta(h) - found.theta(-h)) / (2 * h)
    field = found.field(found.origin)
    size = np.abs(field).max()
    assert np.abs(slope - field).max() < 1e-6 * size
    assert np.abs(slope + field).max() > size  # a wrong sign is seen
    assert np.allclose(found.field(found.origin, found.generators[0]), field, rtol=0, atol=1e-15 * size)


def test_exponentials_agree_with_those_of_numpy(found):
    values, vectors = np.linalg.eig(0.7 * found.generators[0].astype(complex))
    expected = (vectors @ np.diag(np.exp(values)) @ np.linalg.inv(vectors)).real
    assert np.allclose(found.element(0.7), expected, rtol=0, atol=1e-12)


def test_moved_tensors_change_where_something_moves(found, residual, x):
    weights, moved = residual.state_dict(), found.tensors(0.4)
    assert set(moved) == {"up1.weight", "head.weight"}
    assert np.array_equal(moved["up1.weight"][:, 1:], weights["up1.weight"][:, 1:])
    assert np.array_equal(moved["up1.weight"][:, 0], found.theta(0.4)[:12])
    assert not np.array_equal(moved["head.weight"][:, 2], weights["head.weight"][:, 2])
    assert not np.allclose(residual(x, moved), residual(x), rtol=0, atol=1e-12)
    assert np.array_equal(residual(x, found.tensors(theta=found.origin)), residual(x))


def test_the_same_seed_gives_the_same_bits(found, residual, x):
    again = isoloss.discover(residual, moving=MOVING, protect=x, recipe=SHORT, progress=False)
    other = isoloss.discover(residual, moving=MOVING, protect=x, recipe=SHORT, seed=102, progress=False)
    assert np.array_equal(again.theta(0.5), found.theta(0.5))
    assert not np.array_equal(other.theta(0.5), found.theta(0.5))
    assert (again.seed, other.seed) == (101, 102)


def test_a_kept_run_opens_again_and_a_finished_one_is_not_fitted_twice(residual, x, tmp_path):
    arguments = {"moving": MOVING, "protect": x, "recipe": SHORT, "out": tmp_path / "kept", "progress": False}
    first = isoloss.discover(residual, **arguments)
    made = (first.folder / "action.safetensors").stat().st_mtime_ns
    second = isoloss.discover(residual, **arguments)
    assert (second.folder / "action.safetensors").stat().st_mtime_ns == made
    opened = isoloss.Run(tmp_path / "kept", seed=101)
    assert np.array_equal(opened.theta(0.3), first.theta(0.3))
    assert opened.metrics["loss"].notna().all()
    with pytest.raises(isoloss.InputError, match="another task, recipe or seed"):
        isoloss.discover(residual, **{**arguments, "recipe": {"steps": 41, "width": 16}})


def test_a_moved_file_computes_what_the_moved_tensors_do(found, residual, x, tmp_path):
    report = found.apply(0.4, tmp_path / "moved.onnx")
    assert report["weights_moved"] > 0
    moved = isoloss.read(tmp_path / "moved.onnx")
    assert np.allclose(moved(x), residual(x, found.tensors(0.4)), rtol=0, atol=1e-4)


def test_a_dense_network_and_its_site(examples, x):
    dense = isoloss.read(examples / "digits" / "tanh.safetensors")
    site = {"layer": 0, "moving": "sensitive", "compensators": 4}
    found = isoloss.discover(dense, site=site, protect=x, recipe=SHORT, progress=False)
    weights, moved = dense.state_dict(), found.tensors(theta=found.origin)
    assert {name: array.shape for name, array in moved.items()} == dense.shapes
    for name, array in moved.items():
        assert np.allclose(array, weights[name], rtol=0, atol=1e-7)  # stored as float32
    assert np.allclose(dense(x, moved), dense(x), rtol=0, atol=1e-5)


def test_what_a_run_says_of_itself(found):
    assert repr(found) == "isoloss.Run(seed-101: 52 moving weights, 1 generator of size 2 x 2, seed 101)"
    assert "52 moving weights" in found._repr_html_()


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda f: f.theta("a"), "t is of type str"),
        (lambda f: f.theta(np.nan), "t has entries that are infinite or NaN"),
        (lambda f: f.theta(0.1, generator=1), "generator 1 does not exist; the group has 1, counted from 0"),
        (lambda f: f.action(np.eye(3), f.origin), r"g has shape \(3, 3\), expected \(..., 2, 2\)"),
        (lambda f: f.action(np.eye(2), f.origin[:5]), r"theta has shape \(5,\), expected \(..., 52\)"),
        (lambda f: f.action(np.ones((3, 2, 2)), np.ones((4, 52))), "do not broadcast"),
        (lambda f: f.tensors(), "either t or theta"),
        (lambda f: f.tensors(theta=np.ones((2, 52))), "one point is expected"),
    ],
)
def test_wrong_arguments_are_one_line(found, call, line):
    with pytest.raises(isoloss.InputError, match=line) as failure:
        call(found)
    assert "\n" not in str(failure.value)


def test_what_is_not_a_run_is_refused(tmp_path):
    with pytest.raises(isoloss.IsolossError, match="no such file or folder"):
        isoloss.Run(tmp_path / "none")
    with pytest.raises(isoloss.InputError, match="is not an isoloss run"):
        isoloss.Run(tmp_path)


def test_a_fit_may_end_when_it_is_good_enough(residual, x):
    watched = isoloss.discover(residual, moving=MOVING, protect=x, recipe=SHORT, until_fit=True, progress=False)
    assert "margin: 2" in (watched.folder / "task.yaml").read_text()
    assert watched.parameter_count == 52

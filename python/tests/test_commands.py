"""What is done without training: symmetries, edits, comparisons."""

from __future__ import annotations

import numpy as np
import pytest

import isoloss


def test_the_scales_of_a_network_with_relu_are_found(examples):
    listed = isoloss.symmetries(examples / "digits" / "relu-nobias.safetensors", progress=False)
    assert (listed["rank"], listed["nullity"], listed["unexplained"]) == (16, 16, 0)
    assert len(listed.table) == len(listed["families"])
    assert "symmetries" in repr(listed)
    assert "<table" in listed._repr_html_()


def test_an_element_of_the_group_changes_weights_and_no_output(residual, digits, tmp_path):
    other = isoloss.transform(residual, random=1, out=tmp_path / "other.onnx", progress=False)
    assert other.path == tmp_path / "other.onnx"
    assert any(
        not np.allclose(a, b) for a, b in zip(residual.state_dict().values(), other.state_dict().values(), strict=True)
    )
    assert np.abs(other(digits[:50]) - residual(digits[:50])).max() < 1e-4  # weights are stored as float32
    assert other.report["outputs_as_written"] < 1e-4

    assert isoloss.align(residual, other, progress=False)
    assert isoloss.check(residual, other, digits[:50])

    back = isoloss.transform(other, element=f"{other.path}.element.npz", inverse=True, progress=False)
    for name, weights in residual.state_dict().items():
        assert np.allclose(back.state_dict()[name], weights, rtol=0, atol=1e-5)


def test_different_networks_are_told_apart(examples, digits):
    paths = [examples / "digits" / f"{name}.safetensors" for name in ("tanh", "tanh-retrained", "tanh-permuted")]
    differ = isoloss.check(paths[0], paths[1], digits[:20])
    assert not differ
    assert not isoloss.align(paths[0], paths[1], progress=False)
    assert isoloss.align(paths[0], paths[2], progress=False)


def norm(model):
    return np.sqrt(sum(np.square(weights).sum() for weights in model.state_dict().values()))


def test_a_move_goes_far_and_keeps_the_protected_outputs(residual, digits, x):
    far = isoloss.move(
        residual, protect=x, distance=0.3, moving=["up1.weight", "head.weight"], fresh=digits[1431:1450], progress=False
    )
    assert np.abs(far(x) - residual(x)).max() < 1e-4 * np.abs(residual(x)).max()
    assert np.abs(far(digits[1431:1450]) - residual(digits[1431:1450])).max() > 1e-2
    shorter = isoloss.move(residual, protect=x, distance=0.05, toward="smaller_norm", progress=False)
    assert norm(shorter) < 0.99 * norm(residual)


def test_compensation_in_closed_form(residual, x, examples):
    closed = isoloss.compensate(residual, protect=x, by=0.1, moving=["up1.weight"], compensating=["head.weight"])
    assert np.abs(closed(x) - residual(x)).max() < 1e-4 * np.abs(residual(x)).max()
    assert closed.report["uncompensated"] > 1e-3
    dense = isoloss.read(examples / "digits" / "tanh.safetensors")
    unit = isoloss.compensate(dense, protect=x, by=0.1, units=[3])
    assert not np.allclose(unit.state_dict()["0.weight"][3], dense.state_dict()["0.weight"][3])
    assert np.abs(unit(x) - dense(x)).max() < 1e-4 * np.abs(dense(x)).max()


def test_the_algebra_of_a_small_architecture(examples, tmp_path):
    algebra = isoloss.recover(examples / "recover" / "linear-2-2-2.yaml", out=tmp_path / "out", progress=False)
    assert algebra["dimension"] == 4
    assert list(tmp_path.rglob("*certificate*"))


def test_a_transformer_reads_tokens(examples):
    folder = examples / "neox-wikitext-1.8m"
    model = isoloss.read(folder)
    ids = model.tokens("the first")
    assert ids.ndim == 2
    logits = model(ids)
    assert logits.shape[:2] == ids.shape
    assert np.array_equal(model(ids[0]), logits)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda m, x: isoloss.transform(m, progress=False), "--random"),
        (lambda m, x: isoloss.move(m, protect=x, progress=False), "--distance"),
        (lambda m, x: isoloss.move(m, protect=x, moving="head.weight", distance=0.1), "expected a list"),
        (lambda m, x: isoloss.compensate(m, protect=x, by=0.1, moving=["nope"], compensating=["head.weight"]), "nope"),
        (lambda m, x: isoloss.check(m, m, x[:, :10]), "10"),
    ],
)
def test_wrong_arguments_are_one_line(residual, x, call, line):
    with pytest.raises(isoloss.IsolossError, match=line) as failure:
        call(residual, x)
    assert "\n" not in str(failure.value)

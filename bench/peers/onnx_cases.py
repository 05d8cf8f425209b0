"""Makes cases out of the test models of the package onnx, and judges what came of them.

    onnx_cases.py make KIND own|random FOLDER     writes FOLDER/CASE/{model.onnx,inputs.npz,outputs.npz,about.json}
    onnx_cases.py judge FOLDER RESULTS ROUNDS     compares FOLDER/CASE/{float64,float32}.npz, and times ONNX Runtime if ROUNDS > 0

The last line of standard output is JSON.
"""

import json
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

warnings.simplefilter("ignore")
DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"


def readable(array):
    """The numbers of an array in a type that npz files here have, or None."""
    array = np.asarray(array)
    if array.dtype.kind in "OUSc":
        return None
    if array.dtype.kind in "iu":
        return array.astype(np.int64) if array.size == 0 or np.abs(array.astype(np.float64)).max() < 2**53 else None
    return array if array.dtype in (np.float64, np.float32, np.bool_) else array.astype(np.float32)


def values(folder, prefix, named):
    arrays = {}
    for index, value in enumerate(named):
        path = folder / f"{prefix}_{index}.pb"
        if not path.exists() or not value.type.HasField("tensor_type"):
            continue
        array = readable(numpy_helper.to_array(onnx.load_tensor(str(path))))
        if array is not None:
            arrays[value.name] = array
    return arrays


def write(folder, model, inputs, outputs, about):
    folder.mkdir(parents=True)
    onnx.save(model, str(folder / "model.onnx"))
    operators = sorted(operators_of(model.graph))
    if inputs:
        np.savez(folder / "inputs.npz", **inputs)
    if outputs:
        np.savez(folder / "outputs.npz", **outputs)
    (folder / "about.json").write_text(json.dumps({"operators": operators, "outputs": [o.name for o in model.graph.output]} | about))


def operators_of(graph):
    named = {node.op_type for node in graph.node}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                named |= operators_of(attribute.g)
    return named


def fed(model):
    stored = {tensor.name for tensor in model.graph.initializer}
    return [value for value in model.graph.input if value.name not in stored]


def make_stored(kind, folder):
    for source in sorted((DATA / kind).glob("*/model.onnx")):
        model = onnx.load(str(source))
        sets = sorted(source.parent.glob("test_data_set_*"))
        inputs = values(sets[0], "input", fed(model))
        outputs = values(sets[0], "output", model.graph.output)
        write(folder / source.parent.name, model, inputs, outputs, {})


def make_node(folder):
    from onnx.backend.test.loader import load_model_tests

    for case in load_model_tests(kind="node"):
        if case.model is None or not case.data_sets:
            continue
        given, wanted = case.data_sets[0]
        about = {"rtol": case.rtol, "atol": case.atol}
        kinds = {value.type.tensor_type.elem_type for value in [*case.model.graph.input, *case.model.graph.output]}
        if kinds & {onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16}:  # where rounding in between is no part of the function
            bits = 8 if onnx.TensorProto.BFLOAT16 in kinds else 11
            about = {"rtol": 4 * 2.0**-bits, "atol": 2 * 2.0**-bits}
        write(folder / case.name, case.model, tensors(fed(case.model), given), tensors(case.model.graph.output, wanted), about)


def tensors(named, given):
    arrays = {}
    for value, array in zip(named, given):
        if isinstance(array, onnx.TensorProto):
            array = numpy_helper.to_array(array)
        if isinstance(array, (np.ndarray, np.generic)) and readable(array) is not None:
            arrays[value.name] = readable(array)
    return arrays


def make_light(weights, folder):
    for index, source in enumerate(sorted((DATA / "light").glob("*.onnx"))):
        model = onnx.load(str(source))
        value = fed(model)[0]
        shape = [axis.dim_value for axis in value.type.tensor_type.shape.dim]
        about = {"rtol": 1e-3, "atol": 1e-7}
        if weights == "own":
            expected = numpy_helper.to_array(onnx.load_tensor(str(source.with_name(source.stem + "_output_0.pb"))))
            count = int(np.prod(shape))
            inputs = {value.name: (np.arange(count).reshape(shape) / count).astype(np.float32)}
            outputs = {model.graph.output[0].name: expected}
        else:
            rng = np.random.default_rng(100 + index)
            randomise(model, rng)
            inputs = {value.name: rng.standard_normal(shape).astype(np.float32)}
            outputs = {model.graph.output[0].name: session(model).run(None, inputs)[0]}
            about = {"rtol": 1e-3, "atol": 1e-6}
        write(folder / source.stem, model, inputs, outputs, about)


def randomise(model, rng):
    """Puts initialisers in the place of the constants that stand for weights."""
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    variances = {node.input[4] for node in model.graph.node if node.op_type == "BatchNormalization"}
    scales = {node.input[1] for node in model.graph.node if node.op_type == "BatchNormalization"}
    kept, added = [], []
    for node in model.graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        name, shape = node.output[0], [int(size) for size in shapes[node.input[0]]]
        fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        array = rng.standard_normal(shape) * (np.sqrt(2 / fan) if len(shape) > 1 else 0.1)
        if name in variances:
            array = 0.5 + np.abs(array)
        elif name in scales:
            array = 1 + array
        added.append(numpy_helper.from_array(array.astype(np.float32), name))
    del model.graph.node[:]
    model.graph.node.extend(kept)
    used = {name for node in kept for name in node.input}
    left = [tensor for tensor in model.graph.initializer if tensor.name in used]
    del model.graph.initializer[:]
    model.graph.initializer.extend(left + added)
    inputs = [value for value in model.graph.input if value.name in used]
    del model.graph.input[:]
    model.graph.input.extend(inputs)


def session(model):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model if isinstance(model, str) else model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def agrees(folder, file, about):
    with np.load(folder / file) as given, np.load(folder / "outputs.npz") as wanted:
        for name in about["outputs"]:
            expected, found = wanted[name], given[name]
            if expected.dtype == np.float64 and file == "float32.npz":
                continue  # what needs float64 is asked for in float64
            if expected.shape != found.shape:
                return f"{file} {name} has shape {found.shape}, expected {expected.shape}"
            if not np.allclose(found, expected.astype(np.float64), rtol=about.get("rtol", 1e-3), atol=about.get("atol", 1e-7), equal_nan=True):
                return f"{file} {name} differs by {np.nanmax(np.abs(found - expected.astype(np.float64))):.3g}"
    return None


def judged(folder, result, about):
    if "failure" in result:
        return "wrong", result["failure"]
    if "refusal" in result:
        named = any(operator in result["refusal"] for operator in [*about["operators"], "opset"]) and "\n" not in result["refusal"]
        return ("refused" if named else "wrong"), result["refusal"]
    problems = [agrees(folder, file, about) for file in ("float64.npz", "float32.npz") if (folder / file).exists()]
    problems = [problem for problem in problems if problem]
    return ("wrong", "; ".join(problems)) if problems else ("right", "")


def judge(root, results, rounds):
    counts, lines, times = {"right": 0, "refused": 0, "wrong": 0}, [], {}
    for result in map(json.loads, results.read_text().splitlines()):
        folder = root / result["case"]
        about = json.loads((folder / "about.json").read_text())
        kind, said = judged(folder, result, about)
        counts[kind] += 1
        if kind != "right":
            lines.append(f"{kind:8} {result['case']}: {said}")
        if rounds:
            given = dict(np.load(folder / "inputs.npz"))
            other = session(str(folder / "model.onnx"))
            measured = []
            for _ in range(rounds + 2):
                begin = time.thread_time()
                other.run(None, given)
                measured.append(time.thread_time() - begin)
            theirs = statistics.median(measured[2:])
            times[result["case"]] = {"isoloss": round(result["seconds"], 4), "onnxruntime": round(theirs, 4), "ratio": round(result["seconds"] / theirs, 2)} if "seconds" in result else {}
    print(json.dumps({"counts": counts, "lines": lines, "times": times}))


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "make":
        kind, weights, folder = arguments
        folder = Path(folder)
        folder.mkdir(parents=True)
        if kind == "node":
            make_node(folder)
        elif kind == "light":
            make_light(weights, folder)
        else:
            make_stored(kind, folder)
        print(json.dumps({}))
    else:
        judge(Path(arguments[0]), Path(arguments[1]), int(arguments[2]))

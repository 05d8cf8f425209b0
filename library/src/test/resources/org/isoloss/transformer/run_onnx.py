"""Writes what exported encoders compute in float64 with their own constants, widened: onnx/NAME.file.json beside onnx/NAME.json.

    python run_onnx.py FOLDER

By onnx's reference evaluator; the sentences and masks are those of NAME.json, which has the numbers of transformers.
"""
import json
import math
import sys
from pathlib import Path

import numpy
import onnx
from onnx import AttributeProto, TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


class Erf(OpRun):
    """The evaluator's own gives float32 for float64."""

    def _run(self, x):
        return (numpy.vectorize(math.erf, otypes=[x.dtype])(x),)


def wide(tensor):
    return numpy_helper.from_array(numpy_helper.to_array(tensor).astype(numpy.float64), tensor.name)


def widened(model):
    for tensor in model.graph.initializer:
        if tensor.data_type == TensorProto.FLOAT:
            tensor.CopyFrom(wide(tensor))
    for value in [*model.graph.input, *model.graph.output, *model.graph.value_info]:
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for node in model.graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.TENSOR and attribute.t.data_type == TensorProto.FLOAT:
                attribute.t.CopyFrom(wide(attribute.t))
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
    return model


def main():
    for path in sorted(Path(sys.argv[1]).glob("*.onnx")):
        evaluator = ReferenceEvaluator(widened(onnx.load(path)), new_ops=[Erf])
        golden = json.loads(path.with_suffix(".json").read_text())
        for case in golden["cases"]:
            given = {name: numpy.array(case[name]) for name in evaluator.input_names}
            output = evaluator.run(None, given)[0]
            assert output.dtype == numpy.float64
            case["last_hidden_state"] = output.tolist()
        path.with_suffix(".file.json").write_text(json.dumps(golden) + "\n")


if __name__ == "__main__":
    main()

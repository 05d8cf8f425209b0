"""Writes NAME.json: what ONNX Runtime (CPU, float32) makes of two windows of tokens, for the encoders named on the
command line as files NAME.onnx; the first 16 numbers of each token."""
import json
import pathlib
import sys

import numpy as np
import onnxruntime

# "The quick brown fox jumps over the lazy dog near the river." as bert-base-uncased splits it, whole and cut to 8
IDS = [101, 1996, 4248, 2829, 4419, 14523, 2058, 1996, 13971, 3899, 2379, 1996, 2314, 1012, 102]
models = {}
for path in map(pathlib.Path, sys.argv[1:]):
    session = onnxruntime.InferenceSession(str(path))
    cases = []
    for ids in (IDS[:8], IDS):
        row = np.array([ids], dtype=np.int64)
        given = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
        out = session.run(None, {i.name: given[i.name] for i in session.get_inputs()})[0]
        cases.append({"name": f"{len(ids)} tokens", "input_ids": [ids], "last_hidden_state": [
            [[float(f"{x:.9g}") for x in token[:16]] for token in out[0]]]})
    models[path.stem] = cases
for name, cases in models.items():
    pathlib.Path(name + ".json").write_text(json.dumps({"cases": cases}, separators=(",", ":")) + "\n")

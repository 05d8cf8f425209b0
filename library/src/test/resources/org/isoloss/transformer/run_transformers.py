"""Loads model folders with transformers and runs them in float32: reads [[folder, [ids]], ...] from standard input, writes for
each its output [time][n], row by row, to standard output as JSON. A tensor that is missing or left over is an error."""
import json
import sys

import torch
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

results = []
for folder, ids in json.load(sys.stdin):
    encoder = AutoConfig.from_pretrained(folder).model_type == "bert"
    kind = AutoModel if encoder else AutoModelForCausalLM
    model, info = kind.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", output_loading_info=True)
    for problem in ("missing_keys", "mismatched_keys"):
        if info[problem]:
            sys.exit(f"{folder}: {problem}: {info[problem]}")
    with torch.no_grad():
        out = model.eval()(input_ids=torch.tensor([ids]))
    rows = out.last_hidden_state if encoder else out.logits
    results.append(rows[0].tolist())
json.dump(results, sys.stdout)

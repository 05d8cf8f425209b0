"""Runs a GPT-NeoX folder in float32 with transformers; prints one JSON object.

    python transformers_forward.py FOLDER THREADS TOKENS
"""
import json
import statistics
import sys
import time

import torch
import transformers

folder, threads, tokens = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(threads)
transformers.logging.set_verbosity_error()
ids = torch.arange(1, tokens + 1)[None] * 1000 % 50303


@torch.inference_mode()
def run():
    return model(ids, use_cache=False).logits


start = time.perf_counter()
model = transformers.GPTNeoXForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
logits = run()
first = time.perf_counter() - start
again = []
for _ in range(7):
    start = time.perf_counter()
    run()
    again.append(time.perf_counter() - start)
print(json.dumps({"first": first, "again": statistics.median(again), "norm": logits.double().norm().item(),
                  "version": f"transformers {transformers.__version__}, PyTorch {torch.__version__}"}))

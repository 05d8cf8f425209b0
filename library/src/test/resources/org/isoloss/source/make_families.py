"""Makes the tiny folders beside it, one or two a family, with the outputs of transformers 5.24.0 in float64.

    python make_families.py

Each has config.json, model.safetensors (random weights) and golden.json: tokens, masks and the logits or last hidden states. Needs
torch, transformers and safetensors, and bench/peers of this project, whose float64 passes it uses.
"""
import json
import shutil
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[6] / "bench" / "peers"))
sys.dont_write_bytecode = True

import torch
import transformers
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM
from transformers_configurations import Float64Throughout, randomise, widened

GATED = dict(vocab_size=11, hidden_size=8, intermediate_size=6, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
             head_dim=4, max_position_embeddings=12, pad_token_id=None, rms_norm_eps=1e-5)
SQUARE = GATED | dict(hidden_size=16)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=6,
              rope_theta=50.0)
YARN = dict(rope_type="yarn", factor=2.0, original_max_position_embeddings=6, beta_fast=2.0, rope_theta=50.0)
LONGROPE = dict(rope_theta=50.0, rope_scaling={"type": "longrope", "short_factor": [1.0, 1.25], "long_factor": [1.5, 3.0]})
FOLDERS = {
    "llama": ("llama", GATED | dict(attention_bias=True, rope_parameters=LLAMA3)),
    "llama-headless": ("llama", GATED | dict(mlp_bias=True, rope_theta=50.0, rope_scaling={"type": "linear", "factor": 2.0})),
    "mistral": ("mistral", GATED | dict(sliding_window=3)),
    "qwen2": ("qwen2", GATED | dict(tie_word_embeddings=True, use_sliding_window=True, sliding_window=2, max_window_layers=1)),
    "qwen3": ("qwen3", GATED | dict(rope_parameters=YARN)),
    "smollm3": ("smollm3", GATED | dict(no_rope_layers=[1, 0])),
    "olmo2": ("olmo2", GATED),
    "phi3": ("phi3", SQUARE | dict(partial_rotary_factor=0.5, sliding_window=4)),
    "phi3-long": ("phi3", SQUARE | LONGROPE | dict(original_max_position_embeddings=4)),
    "phi3-short": ("phi3", SQUARE | LONGROPE | dict(original_max_position_embeddings=8)),
    "gemma": ("gemma", GATED),
    "gemma2": ("gemma2", GATED | dict(sliding_window=3, query_pre_attn_scalar=9, attn_logit_softcapping=2.0, final_logit_softcapping=3.0)),
    "gemma3_text": ("gemma3_text", GATED | dict(sliding_window=3, sliding_window_pattern=2, query_pre_attn_scalar=9, rope_theta=300.0,
                                                rope_local_base_freq=20.0, rope_scaling={"rope_type": "linear", "factor": 2.0})),
    "stablelm": ("stablelm", SQUARE | dict(qk_layernorm=True, use_qkv_bias=True, use_parallel_residual=True, partial_rotary_factor=0.5)),
    "stablelm-sequential": ("stablelm", SQUARE | dict(partial_rotary_factor=1.0)),
    "gpt_neox": ("gpt_neox", dict(vocab_size=11, hidden_size=16, intermediate_size=6, num_hidden_layers=2, num_attention_heads=2,
                                  max_position_embeddings=12)),
    "gpt2": ("gpt2", dict(vocab_size=11, n_embd=8, n_head=2, n_layer=2, n_positions=12, n_inner=6)),
    "gptj": ("gptj", dict(vocab_size=11, n_embd=8, n_head=2, n_layer=2, n_positions=12, n_inner=6, rotary_dim=2)),
    "gpt_neo": ("gpt_neo", dict(vocab_size=11, hidden_size=8, num_heads=2, num_layers=2, attention_types=[[["global", "local"], 1]],
                                max_position_embeddings=12, intermediate_size=6, window_size=2)),
    "opt": ("opt", dict(vocab_size=11, hidden_size=8, ffn_dim=6, num_hidden_layers=2, num_attention_heads=2,
                        max_position_embeddings=12, word_embed_proj_dim=6)),
    "opt-after": ("opt", dict(vocab_size=11, hidden_size=8, ffn_dim=6, num_hidden_layers=1, num_attention_heads=2,
                              max_position_embeddings=12, do_layer_norm_before=False, enable_bias=False)),
    "bert": ("bert", dict(vocab_size=11, hidden_size=8, intermediate_size=6, num_hidden_layers=2, num_attention_heads=2,
                          max_position_embeddings=12)),
    "roberta": ("roberta", dict(vocab_size=11, hidden_size=8, intermediate_size=6, num_hidden_layers=2, num_attention_heads=2,
                                max_position_embeddings=12, layer_norm_eps=1e-5)),
    "distilbert": ("distilbert", dict(vocab_size=11, dim=8, hidden_dim=6, n_layers=2, n_heads=2, max_position_embeddings=12)),
}
ENCODERS = ("bert", "roberta", "distilbert")
IDS = torch.tensor([[3, 9, 1, 4, 7, 2], [5, 5, 10, 8, 6, 4]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]])
TYPES = torch.tensor([[0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 0]])


def write(name, family, configuration):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    headless = family in ENCODERS or name.endswith("-headless")
    kind = AutoModel if headless else AutoModelForCausalLM
    path = folder / "config.json"
    path.write_text(json.dumps({"model_type": family} | configuration))
    made = kind.from_config(AutoConfig.from_pretrained(folder))
    randomise(made, 5)
    made.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    path.write_text(json.dumps({"model_type": family, "architectures": [type(made).__name__]} | configuration, indent=1) + "\n")
    model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    twin = widened(model)
    twin.config._attn_implementation = "eager"
    cases = []
    for more in ({}, {"attention_mask": MASK} | ({"token_type_ids": TYPES} if family in ("bert", "roberta") else {})):
        given = {"input_ids": IDS} | more
        with torch.no_grad(), Float64Throughout():
            out = twin(**given, **({} if family == "distilbert" else {"use_cache": False}))[0]
        if "attention_mask" in more:  # of what is not to be seen nothing is compared
            out = out * MASK[..., None]
        cases.append({key: value.flatten().tolist() for key, value in given.items()}
                     | {"last_hidden_state" if headless else "logits": out.flatten().tolist()})
    (folder / "golden.json").write_text("[" + ",\n ".join(map(json.dumps, cases)) + "]\n")


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    for name, (family, configuration) in FOLDERS.items():
        write(name, family, configuration)


main()

"""Makes tiny random models whose configurations differ key by key, and the outputs that transformers gives for them.

    python transformers_configurations.py FOLDER [SEEDS]

Each case is a folder with config.json, model.safetensors and golden.json: logits (BERT: last hidden states) in float64, or in
float32 where transformers has no float64, and under "configuration" what kind of case it is. Prints one JSON object.
"""
import copy
import json
import sys
import warnings
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from torch.overrides import TorchFunctionMode
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

from configuration_cases import cases, configuration, drawn

TOKENS = [[3, 9, 5, 14, 7, 3, 11, 2]]
FAINT = 5                             # the token whose embedding is 1000 times smaller: there the norms' epsilon decides


class Float64Throughout(TorchFunctionMode):
    """Where transformers asks for float32 whatever the model's dtype (softmax, rotary angles, RMS norms), it gets float64."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        def widen(value):
            return torch.float64 if value is torch.float32 else value

        if function is torch.Tensor.float:
            function = torch.Tensor.double
        return function(*map(widen, args), **{key: widen(value) for key, value in (kwargs or {}).items()})


def randomise(model, seed):
    """Draws every parameter so that no bias is 0, no norm weight 1, attention is not uniform and activations stay of order 1."""
    generator = torch.Generator().manual_seed(seed)
    modules = dict(model.named_modules())
    for name, weight in sorted(model.named_parameters()):
        owner = modules[name.rpartition(".")[0]]
        draw = torch.randn(weight.shape, generator=generator)
        if weight.dim() == 1:
            start = 1.0 if name.endswith("weight") and "Gemma" not in type(owner).__name__ else 0.0
            draw = start + 0.3 * draw
        elif isinstance(owner, torch.nn.Embedding):
            draw = 0.8 * draw
            draw[FAINT:FAINT + 1] *= 1e-3
        else:
            draw = 1.5 * draw / (weight.shape[0] if type(owner).__name__ == "Conv1D" else weight.shape[1]) ** 0.5
        weight.data.copy_(draw)


def kind_of(config):
    return AutoModel if config.model_type == "bert" else AutoModelForCausalLM


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n")


def write_weights(folder, family, changes):
    """Writes random weights of the shapes that transformers asks for, or of the base's where it refuses the configuration."""
    for settings in (changes, {}):
        write_json(folder / "config.json", configuration(family, settings))
        try:
            config = AutoConfig.from_pretrained(folder)
            model = kind_of(config).from_config(config)
            break
        except Exception:
            if not settings:
                raise
    randomise(model, 7)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    weights = load_file(folder / "model.safetensors")
    head = "embed_out.weight" if family == "gpt_neox" else "lm_head.weight"
    embedding = model.get_input_embeddings().weight
    if "_head" in changes:
        other = torch.randn(embedding.shape, generator=torch.Generator().manual_seed(8))
        weights[head] = other if changes["_head"] == "other" else embedding.detach().clone()
    weights = {name: value for name, value in weights.items() if not name.startswith("pooler.")}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "config.json", configuration(family, changes))


def widened(model):
    """A float64 twin: stored weights widened exactly, buffers (rotary frequencies, embedding scale) computed in float64."""
    config = copy.deepcopy(model.config)
    head, embedding = model.get_output_embeddings(), model.get_input_embeddings()
    config.tie_word_embeddings = head is not None and head.weight is embedding.weight
    torch.set_default_dtype(torch.float64)
    with Float64Throughout():
        twin = type(model)(config).double()
    torch.set_default_dtype(torch.float32)
    twin.load_state_dict(model.state_dict())
    return twin.eval()


def output(folder):
    """Returns (output, precision) of transformers for a folder."""
    config = AutoConfig.from_pretrained(folder)
    model, loaded = kind_of(config).from_pretrained(folder, dtype=torch.float32, attn_implementation="eager",
               output_loading_info=True)
    missing = [name for name in loaded["missing_keys"] if not name.startswith("pooler.")]
    if missing or loaded["unexpected_keys"] or loaded["mismatched_keys"]:
        raise ValueError(f"weights do not fit: {loaded}")
    model.eval()
    ids = torch.tensor(TOKENS)
    options = {} if config.model_type == "bert" else {"use_cache": False}
    with torch.no_grad():
        narrow = model(ids, **options)[0]
        if getattr(config, "reorder_and_upcast_attn", False) and config.model_type == "gpt2":
            return narrow, "float32"  # transformers computes it in float32 alone
        twin = widened(model)
        twin.config._attn_implementation = "eager"
        with Float64Throughout():
            wide = twin(ids, **options)[0]
    assert wide.dtype == torch.float64 and bool(wide.isfinite().all())
    assert float((wide - narrow).abs().max() / wide.abs().max()) < 1e-5, folder
    # gelu_fast has the root of 2 / pi to ten digits
    return wide, "float32" if "gelu_fast" in (folder / "config.json").read_text() else "float64"


def effect(folder, family, changes, got):
    """Returns what the changed keys do to the output of the same weights, relative; None where they do not fit the base."""
    changed = (folder / "config.json").read_text()
    write_json(folder / "config.json", configuration(family, {}))
    try:
        base = output(folder)[0]
    except Exception:
        return None
    finally:
        (folder / "config.json").write_text(changed)
    return float((base - got).abs().max() / base.abs().max()) if base.shape == got.shape else None


def write_case(parent, family, name, kind, key, changes):
    folder = parent / name
    folder.mkdir(parents=True)
    write_weights(folder, family, changes)
    about = {"kind": kind, "key": key}
    try:
        got, about["precision"] = output(folder)
        about["transformers"] = "computes"
    except Exception as e:
        about |= {"transformers": "refuses: " + " ".join(f"{type(e).__name__}: {e}".split())[:200], "precision": "none"}
        write_json(folder / "golden.json", {"configuration": about, "cases": [{"name": "none", "input_ids": TOKENS,
                   "logits": [[[0.0]] * 8]}]})
        if kind not in ("refused", "drawn"):
            about["problem"] = "transformers refuses what it should compute"
        return about
    if kind in ("understood", "ignored", "same") and "_head" not in changes:
        moved = effect(folder, family, changes, got)
        limit = 1e-6 if about["precision"] == "float32" else 1e-12 if kind == "same" else 0
        holds = kind == "understood" if moved is None else moved > 1e-6 if kind == "understood" else moved <= limit
        if not holds:
            about["problem"] = f"{kind} in transformers was expected, but outputs differ from the base's by {moved}"
    out = "last_hidden_state" if family == "bert" else "logits"
    text = json.dumps({"configuration": about, "cases": [{"name": "only", "input_ids": TOKENS, out: got.tolist()}]})
    (folder / "golden.json").write_text(text + "\n")
    return about


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    parent = Path(sys.argv[1])
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    done = {}
    for family, name, kind, key, changes in [*cases(), *map(drawn, range(seeds))]:
        assert name not in done, name
        done[name] = write_case(parent, family, name, kind, key, changes)
    wrong = {name: about["problem"] for name, about in done.items() if about.get("problem")}
    if wrong:
        sys.exit("transformers is not as this table says: " + json.dumps(wrong, indent=1))
    print(json.dumps({"transformers": transformers.__version__, "torch": torch.__version__, "cases": done}))


if __name__ == "__main__":
    main()

"""Makes tiny random models of every family, and the outputs that transformers gives for them.

    python transformers_families.py FOLDER [SEEDS]

Each case is a folder with config.json, safetensors and golden.json: for some inputs the logits or last hidden states in float64
(every step of transformers that asks for float32 is given float64, so that it is the same function in float64) and in float32.
Weights are drawn anew, and smaller, until transformers' own float32 is within 5e-7 of its float64, or 1e-6 after
ten times: in others rounding says nothing. Prints one JSON object.
"""
import json
import random
import sys
import warnings
from pathlib import Path

import torch
import transformers
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM

from family_cases import FAMILIES, LENGTH, drawn
from transformers_configurations import Float64Throughout, randomise, widened


OWN_ROUNDING = 5e-7
ATTEMPTS = 20


class IllConditioned(Exception):
    """Rounding in float32 is seen in the outputs."""


def inputs_of(config, asked, draw):
    """Tokens of two texts, and what else is asked for."""
    ids = torch.tensor([[draw.randrange(config.vocab_size) for _ in range(LENGTH)] for _ in range(2)])
    given = {"input_ids": ids}
    for name, how in asked.items():
        value = torch.ones_like(ids)
        if name == "token_type_ids":
            value = torch.tensor([[draw.randrange(how) for _ in range(LENGTH)] for _ in range(2)])
        elif name == "position_ids":
            value = torch.arange(LENGTH).expand(2, -1).clone()
            value[1] = value[1] + 3 if how == "shifted" else torch.tensor(draw.sample(range(LENGTH), LENGTH))
        elif how == "right":
            value[1, 6:] = 0
        elif how == "left":
            value[1, :4] = 0
        elif how == "holes":
            value[0, 3] = value[1, 5] = value[1, 9] = 0
        given[name] = value
    return given


def reach(config):
    """How many tokens fit."""
    longest = getattr(config, "max_position_embeddings", None) or config.n_positions
    return longest - (config.pad_token_id + 1 if config.model_type == "roberta" else 0)


def case(model, twin, given, output, allowed):
    options = {} if output == "last_hidden_state" and not hasattr(model.config, "use_cache") else {"use_cache": False}
    with torch.no_grad():
        narrow = model(**given, **options)[0]
        with Float64Throughout():
            wide = twin(**given, **options)[0]
    assert wide.dtype == torch.float64 and narrow.dtype == torch.float32 and bool(wide.isfinite().all())
    if float((wide - narrow).abs().max() / wide.abs().max()) > allowed:
        raise IllConditioned
    about = {name: value.tolist() for name, value in given.items()} | {output: wide.tolist(), "float32": narrow.tolist()}
    if model.config.model_type == "gpt_neo" and "attention_mask" in given:
        about["counted"] = True  # it adds two masks, so that a token that is not to be seen mixes others by rounding alone
    return about


def outputs(folder, kind, config, form, seed, attempt):
    """Stores random weights and returns what comes of each input."""
    made = kind.from_config(config)
    randomise(made, 1000 * attempt + seed)
    for weight in made.parameters():
        if weight.dim() > 1:
            weight.data.mul_(0.9 ** (attempt // 2))
    written = (folder / "config.json").read_text()
    made.to(getattr(torch, form["stored"])).save_pretrained(folder, max_shard_size="4KB" if form["shards"] else "5GB")
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "config.json").write_text(written)
    model = kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    twin = widened(model)
    twin.config._attn_implementation = "eager"
    draw = random.Random(seed)
    output = "logits" if form["head"] else "last_hidden_state"
    allowed = OWN_ROUNDING * (1 if attempt < ATTEMPTS // 2 else 2)
    return [case(model, twin, inputs_of(config, asked, draw), output, allowed) for asked in form["inputs"]]


def write_case(folder, family, seed):
    configuration, form = drawn(family, seed)
    folder.mkdir(parents=True)
    kind = AutoModelForCausalLM if form["head"] else AutoModel
    path = folder / "config.json"
    path.write_text(json.dumps(configuration) + "\n")
    about = {"family": family, "configuration": configuration, "form": form}
    try:
        config = AutoConfig.from_pretrained(folder)
        assert reach(config) >= LENGTH
        made = kind.from_config(config)
        path.write_text(json.dumps(configuration | {"architectures": [type(made).__name__]}) + "\n")
        for attempt in range(ATTEMPTS):
            try:
                cases = outputs(folder, kind, config, form, seed, attempt)
                break
            except IllConditioned:
                for file in folder.glob("model*"):
                    file.unlink()
        else:
            return about | {"passedOver": "rounding in float32 is seen in the outputs of all its weights"}
        (folder / "golden.json").write_text(json.dumps({"cases": cases}) + "\n")
    except Exception as e:
        about["transformers"] = " ".join(f"{type(e).__name__}: {e}".split())[:300]
    return about


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    warnings.filterwarnings("ignore")
    parent = Path(sys.argv[1])
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    done = {f"{family}-{seed}": write_case(parent / f"{family}-{seed}", family, seed) for family in FAMILIES for seed in range(seeds)}
    print(json.dumps({"transformers": transformers.__version__, "torch": torch.__version__, "cases": done}))


if __name__ == "__main__":
    main()

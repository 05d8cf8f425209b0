"""Networks for bench/alignment, and the published weight matching that it compares with. Needs numpy and scipy.

    python weight_matching.py train FOLDER           trains MLPs on the digits with numpy
    python weight_matching.py random FOLDER          writes a random network with 3 hidden layers of 512 ReLU units
    python weight_matching.py match A B              matches units with several random starts, each with and without signs
    python weight_matching.py barrier A B [SAME_AS]  the loss on the straight line, and how far A's logits are from SAME_AS's
    python weight_matching.py change FROM TO         adds 0.1 to one weight

Networks are safetensors of F32 as in examples/digits. Each command prints one JSON object, with seconds without the start of Python.
"""
import gzip
import json
import sys
import time
from pathlib import Path

import numpy
from scipy.optimize import linear_sum_assignment

DATA = Path(__file__).resolve().parents[2] / "examples" / "digits" / "digits.csv.gz"
TRAINING_ROWS = 1347
POINTS = 25
STARTS = 10
SHAPES = {"one-hidden": (64, 32, 10), "two-hidden": (64, 64, 64, 10)}
ACTIVATIONS = {"relu": lambda x: numpy.maximum(x, 0), "tanh": numpy.tanh}


def read(path):
    """The activation, and the weights (out, in) and biases of each layer in float64."""
    raw = Path(path).read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    activation = header.pop("__metadata__")["activation"]
    tensors = {}
    for name, about in header.items():
        start, end = about["data_offsets"]
        numbers = numpy.frombuffer(raw[8 + size + start : 8 + size + end], dtype="<f4")
        tensors[name] = numbers.reshape(about["shape"]).astype(float)
    count = len(tensors) // 2
    return activation, [(tensors[f"{2 * i}.weight"], tensors[f"{2 * i}.bias"]) for i in range(count)]


def write(path, activation, layers):
    header, body = {"__metadata__": {"activation": activation}}, b""
    for i, layer in enumerate(layers):
        for name, numbers in zip(("weight", "bias"), layer):
            raw = numbers.astype("<f4").tobytes()
            header[f"{2 * i}.{name}"] = {"dtype": "F32", "shape": numbers.shape, "data_offsets": [len(body), len(body) + len(raw)]}
            body += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + body)


def digits():
    """Pixels over 16 and labels of all rows."""
    with gzip.open(DATA, "rt") as lines:
        rows = numpy.loadtxt(lines, delimiter=",")
    return rows[:, :-1] / 16, rows[:, -1].astype(int)


def initial(shape, draw):
    sizes = list(zip(shape, shape[1:]))
    return [(draw.normal(size=(out, into)) * numpy.sqrt(2 / into), 0.1 * draw.normal(size=out)) for into, out in sizes]


def outputs_of_layers(activation, layers, x):
    """What goes into each layer, then the logits."""
    seen = [x]
    for i, (weight, bias) in enumerate(layers):
        y = seen[-1] @ weight.T + bias
        seen.append(ACTIVATIONS[activation](y) if i < len(layers) - 1 else y)
    return seen


def log_softmax(logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - numpy.log(numpy.exp(shifted).sum(axis=1, keepdims=True))


def gradient(activation, layers, x, labels):
    """Of the mean cross-entropy, for each layer's weight and bias."""
    seen = outputs_of_layers(activation, layers, x)
    back = numpy.exp(log_softmax(seen[-1]))
    back[numpy.arange(len(labels)), labels] -= 1
    back /= len(labels)
    slopes = []
    for i in reversed(range(len(layers))):
        slopes.append((back.T @ seen[i], back.sum(axis=0)))
        if i > 0:
            slope = seen[i] > 0 if activation == "relu" else 1 - seen[i] ** 2
            back = (back @ layers[i][0]) * slope
    return slopes[::-1]


def trained(activation, shape, x, labels, seed, epochs=100, batch=64, rate=2e-3, decay=0.01):
    """By AdamW with a cosine schedule."""
    draw = numpy.random.default_rng(seed)
    layers = [list(layer) for layer in initial(shape, draw)]
    means = [[numpy.zeros_like(part) for part in layer] for layer in layers]
    squares = [[numpy.zeros_like(part) for part in layer] for layer in layers]
    step, last = 0, epochs * (len(x) // batch)
    for _ in range(epochs):
        order = draw.permutation(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            rows = order[start : start + batch]
            own = rate * (1 + numpy.cos(numpy.pi * step / last)) / 2
            step += 1
            for i, slopes in enumerate(gradient(activation, layers, x[rows], labels[rows])):
                for j, slope in enumerate(slopes):
                    means[i][j] += 0.1 * (slope - means[i][j])
                    squares[i][j] += 0.001 * (slope**2 - squares[i][j])
                    move = means[i][j] / (1 - 0.9**step) / (numpy.sqrt(squares[i][j] / (1 - 0.999**step)) + 1e-8)
                    layers[i][j] -= own * (move + decay * layers[i][j])
    return layers


def train(folder):
    x, labels = digits()
    made = {}
    for activation in ACTIVATIONS:
        for name, shape in SHAPES.items():
            for seed in (1, 2):
                layers = trained(activation, shape, x[:TRAINING_ROWS], labels[:TRAINING_ROWS], seed)
                logits = outputs_of_layers(activation, layers, x)[-1]
                right = logits.argmax(axis=1) == labels
                path = Path(folder) / f"{activation}-{name}-{seed}.safetensors"
                write(path, activation, layers)
                made[path.stem] = {"training": right[:TRAINING_ROWS].mean(), "test": right[TRAINING_ROWS:].mean()}
    return made


def moved(layers, orders, signs):
    """Unit orders[l][j] of each hidden layer put at place j, times signs[l][j]."""
    result = []
    for i, (weight, bias) in enumerate(layers):
        if i > 0:
            weight = weight[:, orders[i - 1]] * signs[i - 1]
        if i < len(layers) - 1:
            weight, bias = weight[orders[i]] * signs[i][:, None], bias[orders[i]] * signs[i]
        result.append((weight, bias))
    return result


def product(one, other):
    return sum((a * b).sum() for ours, theirs in zip(one, other) for a, b in zip(ours, theirs))


def matched(ours, theirs, draw, with_signs, start_at_random):
    """One run of Ainsworth, Hayase and Srinivasa's algorithm 1: layers in random order, each assigned with the others fixed."""
    widths = [len(bias) for _, bias in ours[:-1]]
    orders = [draw.permutation(n) if start_at_random else numpy.arange(n) for n in widths]
    signs = [draw.choice([-1.0, 1.0], n) if start_at_random and with_signs else numpy.ones(n) for n in widths]
    best = product(moved(ours, orders, signs), theirs)
    while True:
        for i in draw.permutation(len(widths)):
            own = list(orders), list(signs)
            own[0][i], own[1][i] = numpy.arange(widths[i]), numpy.ones(widths[i])
            others = moved(ours, *own)
            gain = others[i][0] @ theirs[i][0].T + numpy.outer(others[i][1], theirs[i][1])
            gain += others[i + 1][0].T @ theirs[i + 1][0]
            rows, places = linear_sum_assignment(numpy.abs(gain) if with_signs else gain, maximize=True)
            orders[i] = rows[numpy.argsort(places)]
            chosen = gain[orders[i], numpy.arange(widths[i])]
            signs[i] = numpy.where(chosen < 0, -1.0, 1.0) if with_signs else numpy.ones(widths[i])
        now = product(moved(ours, orders, signs), theirs)
        if now <= best + 1e-12 * abs(best):
            return max(now, best), moved(ours, orders, signs)
        best = now


def loss(activation, layers, x, labels):
    logits = outputs_of_layers(activation, layers, x)[-1]
    return -log_softmax(logits)[numpy.arange(len(labels)), labels].mean()


def height(activation, one, other, x, labels):
    """The largest excess of the loss over the line between its ends, at 25 points of the straight line."""
    shares = numpy.linspace(0, 1, POINTS)
    losses = []
    for share in shares:
        between = [tuple((1 - share) * a + share * b for a, b in zip(*pair)) for pair in zip(one, other)]
        losses.append(loss(activation, between, x, labels))
    return max(0, (numpy.array(losses) - (1 - shares) * losses[0] - shares * losses[-1]).max())


def training_rows():
    x, labels = digits()
    return x[:TRAINING_ROWS], labels[:TRAINING_ROWS]


def match(one, other):
    activation, ours = read(one)
    _, theirs = read(other)
    x, labels = training_rows()
    result = {"activation": activation}
    for name, with_signs in {"plain": False, "signs": True}.items():
        if with_signs and activation != "tanh":
            continue
        draw = numpy.random.default_rng(0)
        begun = time.perf_counter()
        runs = [matched(ours, theirs, draw, with_signs, start > 0) for start in range(STARTS)]
        seconds = time.perf_counter() - begun
        best = max(runs, key=lambda run: run[0])[1]
        result[name] = {"barrier": height(activation, best, theirs, x, labels), "distance": distance(best, theirs)}
        result[name] |= {"seconds": seconds, "change": change(activation, best, ours, x)}
    return result


def distance(one, other):
    """Of all weights and biases, over the norm of the other's."""
    apart = [[a - b for a, b in zip(*pair)] for pair in zip(one, other)]
    return numpy.sqrt(product(apart, apart) / product(other, other))


def change(activation, one, other, x):
    """The largest difference of the logits over the largest logit."""
    ours, theirs = (outputs_of_layers(activation, layers, x)[-1] for layers in (one, other))
    return numpy.abs(ours - theirs).max() / numpy.abs(theirs).max()


def barrier(one, other, same_as=None):
    activation, ours = read(one)
    x, labels = training_rows()
    theirs = read(other)[1]
    result = {"barrier": height(activation, ours, theirs, x, labels), "distance": distance(ours, theirs)}
    if same_as:
        result["change"] = change(activation, ours, read(same_as)[1], x)
    return result


def random(folder):
    write(Path(folder) / "wide.safetensors", "relu", initial((64, 512, 512, 512, 10), numpy.random.default_rng(0)))
    return {}


def changed(source, target):
    activation, layers = read(source)
    layers[1][0][0, 0] += 0.1
    write(target, activation, layers)
    return {}


if __name__ == "__main__":
    commands = {"train": train, "random": random, "match": match, "barrier": barrier, "change": changed}
    print(json.dumps(commands[sys.argv[1]](*sys.argv[2:])))

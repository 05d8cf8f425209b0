"""Writes taylor.csv and jacobians.json beside this file, by SymPy 1.14 and fractions of Python alone."""

import json
from fractions import Fraction
from pathlib import Path

import sympy

FOLDER = Path(__file__).parent
ORDER = 12
z, c = sympy.symbols("z c")  # c: the one transcendental number in the coefficients, if any


def truncated(expression):
    polynomial = sympy.Poly(sympy.expand(expression), z)
    return [polynomial.coeff_monomial(z**k) for k in range(ORDER + 1)]


def series(expression):
    return truncated(sympy.series(expression, z, 0, ORDER + 1).removeO())


def insert(coefficients, inner):
    value = sympy.Integer(0)
    for coefficient in reversed(coefficients):
        value = coefficient + sum(a * z**k for k, a in enumerate(truncated(value * inner)))
    return truncated(value)


TANH = series(sympy.tanh(z))
SIGMOID = [a / 2 for a in insert(TANH, z / 2)]
SIGMOID[0] = sympy.Rational(1, 2)
CURVE = c * (z + sympy.Rational(44715, 10**6) * z**3)
TAYLOR = {
    "tanh": TANH,
    "sigmoid": SIGMOID,
    "silu": truncated(z * sum(a * z**k for k, a in enumerate(SIGMOID))),
    "softplus": [c] + [SIGMOID[k - 1] / k for k in range(1, ORDER + 1)],  # c = log 2
    # c = sqrt(2 / pi)
    "gelu": truncated(z / 2 + z * c / 2 * sympy.integrate(sympy.series(sympy.exp(-z**2 / 2), z, 0, ORDER).removeO(), z)),
    "gelu_tanh": truncated(z / 2 + z / 2 * sum(a * z**k for k, a in enumerate(insert(TANH, CURVE)))),
}


def table():
    lines = ["activation,power,coefficients of 1 c c^2 ..."]
    for name, coefficients in TAYLOR.items():
        for k, coefficient in enumerate(coefficients):
            powers = sympy.Poly(coefficient, c).all_coeffs()[::-1]
            lines.append("%s,%d,%s" % (name, k, " ".join(str(p) for p in powers)))
    return "\n".join(lines) + "\n"


def product(left, right):
    return [sum(left[i] * right[k - i] for i in range(k + 1)) for k in range(len(left))]


class Dual:
    """A truncated power series in t and its derivative in one parameter."""

    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(
            [a + b for a, b in zip(self.value, other.value)], [a + b for a, b in zip(self.slope, other.slope)]
        )

    def __mul__(self, other):
        forward, backward = product(self.value, other.slope), product(self.slope, other.value)
        return Dual(product(self.value, other.value), [a + b for a, b in zip(forward, backward)])

    def apply(self, name):
        if name == "identity":
            return self
        if name.startswith("z^"):
            power = self
            for _ in range(int(name[2:]) - 1):
                power = power * self
            return power
        if name.endswith("relu"):
            assert self.value[0] != 0
            slope = Fraction(1) if self.value[0] > 0 else Fraction(1, 100) if name == "leaky_relu" else Fraction(0)
            return Dual([slope * a for a in self.value], [slope * a for a in self.slope])
        value, slope = [Fraction(0)] * len(self.value), [Fraction(0)] * len(self.value)
        power = [Fraction(1)] + [Fraction(0)] * (len(self.value) - 1)
        taylor = [Fraction(int(a.p), int(a.q)) for a in TAYLOR[name]]
        for k, a in enumerate(taylor):
            value = [x + a * y for x, y in zip(value, power)]
            if k < ORDER:
                slope = [x + (k + 1) * taylor[k + 1] * y for x, y in zip(slope, power)]
            power = product(power, self.value)
        return Dual(value, product(slope, self.slope))


def outputs(network, moving):
    """The outputs of the network at t theta, or at theta where there are no series, with their slopes in one parameter."""
    length = network["length"]
    zero = [Fraction(0)] * length

    def number(value, order=0):
        return [Fraction(value if k == order else 0) for k in range(length)]

    theta = [
        Dual(number(value, 0 if length == 1 else 1), number(1 if a == moving else 0))
        for a, value in enumerate(network["theta"])
    ]
    values = [Dual(number(value), zero) for value in network["input"]]
    at = 0
    for layer, width in enumerate(network["widths"][1:]):
        biased = network["biases"][layer]
        sums = []
        for unit in range(width):
            total = theta[at + width * len(values) + unit] if biased else Dual(zero, zero)
            for j, value in enumerate(values):
                total = total + theta[at + unit * len(values) + j] * value
            sums.append(total)
        at += width * (len(values) + (1 if biased else 0))
        last = layer == len(network["widths"]) - 2
        values = sums if last else [total.apply(network["activations"][layer]) for total in sums]
    return values


def jacobian(widths, activations, biases, seed):
    state = seed

    def integer():
        nonlocal state
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        return (state >> 33) % 15 - 7 or 11

    count = sum(m * (n + (1 if biases else 0)) for n, m in zip(widths, widths[1:]))
    network = {
        "widths": widths,
        "activations": activations,
        "biases": [biases] * (len(widths) - 1),
        "theta": [integer() for _ in range(count)],
        "input": [integer() for _ in range(widths[0])],
        "length": ORDER + 1 if any(name in TAYLOR for name in activations) else 1,
    }
    columns = [outputs(network, moving) for moving in range(count)]
    network["jacobian"] = [
        [[str(a) for a in columns[moving][output].slope] for moving in range(count)] for output in range(widths[-1])
    ]
    return network


NETWORKS = [
    jacobian([2, 2, 2], ["identity"], True, 1),
    jacobian([2, 3, 2], ["relu"], False, 18),
    jacobian([2, 3, 2, 1], ["leaky_relu", "z^2"], True, 3),
    jacobian([2, 2, 2, 2], ["z^3", "relu"], False, 19),
    jacobian([1, 2, 1], ["tanh"], True, 5),
    jacobian([2, 1, 2, 1], ["sigmoid", "identity"], False, 6),
    jacobian([1, 1, 1, 1], ["silu", "z^2"], True, 7),
]

(FOLDER / "taylor.csv").write_text(table())
(FOLDER / "jacobians.json").write_text(
    "[\n" + ",\n".join(json.dumps(network) for network in NETWORKS) + "\n]\n"
)

"""Makes activations.csv with mpmath 1.3.0 (60 digits): python activations.py > activations.csv

Columns: activation, z, value, first derivative, second derivative. z is a float64 written shortest, the others are
rounded to 25 digits. The constants 0.01 and 0.044715 are the float64 nearest to them, as in the code.
"""
import random
from mpmath import mp, mpf, exp, tanh, erfc, sqrt, pi, log1p, nstr, diff

mp.dps = 60
A, SLOPE = mpf(0.044715), mpf(0.01)
C = sqrt(2 / pi)


def logistic(z):
    return 1 / (1 + exp(-z))


def logistic_jet(z):
    s, t = logistic(z), logistic(-z)
    return s, s * t, s * t * (t - s)


def gelu(z):
    big, phi = erfc(-z / sqrt(mpf(2))) / 2, exp(-z * z / 2) / sqrt(2 * pi)
    return z * big, big + z * phi, phi * (2 - z * z)


def gelu_tanh(z):
    w, w1, w2 = 2 * C * (z + A * z**3), 2 * C * (1 + 3 * A * z * z), 12 * C * A * z
    s, s1, s2 = logistic_jet(w)
    return z * s, s + z * s1 * w1, 2 * s1 * w1 + z * (s2 * w1 * w1 + s1 * w2)


def silu(z):
    s, s1, s2 = logistic_jet(z)
    return z * s, s + z * s1, 2 * s1 + z * s2


def tanh_jet(z):
    t = tanh(z)
    s = 4 / (exp(z) + exp(-z)) ** 2
    return t, s, -2 * t * s


def softplus(z):
    s, s1, _ = logistic_jet(z)
    return max(z, mpf(0)) + log1p(exp(-abs(z))), s, s1


FUNCTIONS = {
    "identity": lambda z: (z, mpf(1), mpf(0)),
    "relu": lambda z: (max(z, mpf(0)), mpf(z > 0), mpf(0)),
    "leaky_relu": lambda z: (z if z > 0 else SLOPE * z, mpf(1) if z > 0 else SLOPE, mpf(0)),
    "sigmoid": logistic_jet,
    "tanh": tanh_jet,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "softplus": softplus,
}

rng = random.Random(20)
points = [0.0, 1e-300, -1e-300, 1e-9, -1e-9, 700.0, -700.0, 37.5, -37.5, 1.4142135623730951, -0.7517915246935645,
          -1.2784645427610738, -2.3993572805154676, 20.0, -20.0, 26.5, -26.5, 100.0, -100.0]
points += [rng.uniform(-1, 1) for _ in range(12)]
points += [rng.uniform(-8, 8) for _ in range(24)]
points += [rng.uniform(-38, 38) for _ in range(12)]
for name, f in FUNCTIONS.items():
    if name not in ("identity", "relu", "leaky_relu"):  # the formulas against mpmath's own differentiation
        x = mpf("0.3")
        g = lambda y: f(y)[0]
        assert abs(diff(g, x) - f(x)[1]) < mpf(10) ** -25 and abs(diff(g, x, 2) - f(x)[2]) < mpf(10) ** -15, name
    for z in points:
        print(",".join([name, repr(z)] + [nstr(v, 25) for v in f(mpf(z))]))

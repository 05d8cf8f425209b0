"""Products of matrix exponentials with 40 digits.

Rows "<r>x<s>x<m>,<m coefficients>,<m generators' numbers>,<r s s entries of the generators>,<s s entries of the word>", with
the factor that acts first first; m = 1, 2, 3 rows for each of three scales of the coefficients.
"""
import random

from mpmath import expm, matrix, mp

mp.dps = 40
random.seed(11)


def normalized(size):
    entries = [random.gauss(0, 1) for _ in range(size * size)]
    norm = sum(e * e for e in entries) ** 0.5
    return [e / norm for e in entries]  # as float64: what is exponentiated is exactly what is printed


for r in (1, 2, 3):
    for s in (2, 3):
        for m in (1, 2, 3):
            for scale in (0.5, 1.0, 4.0):
                generators = [normalized(s) for _ in range(r)]
                coefficients = [random.uniform(-scale, scale) for _ in range(m)]
                if m == 3:
                    coefficients[1] = 0.0
                else:
                    coefficients[0] = random.choice((-scale, scale))
                indices = [random.randrange(r) for _ in range(m)]
                word = mp.eye(s)
                for t, i in zip(coefficients, indices):
                    h = matrix(s, s)
                    for j, e in enumerate(generators[i]):
                        h[j // s, j % s] = mp.mpf(e)
                    word = expm(mp.mpf(t) * h, method="taylor") * word
                numbers = coefficients + indices + [e for g in generators for e in g]
                values = [mp.nstr(word[j // s, j % s], 20) for j in range(s * s)]
                print(f"{r}x{s}x{m}", *[repr(x) for x in numbers], *values, sep=",")

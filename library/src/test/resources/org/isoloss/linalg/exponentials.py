"""Matrix exponentials and Frechet derivatives in high precision: family, rows, columns, entries, exponential,
direction, derivative.

Entries are doubles and are taken as exact. Exponentials are computed with 250 digits (checked against 400 digits). A
derivative is the central difference (exp(A + h E) - exp(A - h E)) / (2 h) with h = 1e-60, whose own error is about
1e-120 relative.
"""
import random

from mpmath import cos, expm, matrix, mp, mpf, norm, nstr, sin

mp.dps = 250
random.seed(31415)


def draw(n, scale):
    return [[scale * random.uniform(-1, 1) for _ in range(n)] for _ in range(n)]


def skew(n, scale):
    upper = draw(n, scale)
    return [[upper[i][j] if i < j else -upper[j][i] if i > j else 0.0 for j in range(n)] for i in range(n)]


def symmetric(n, scale):
    upper = draw(n, scale)
    return [[upper[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]


def product(*factors):
    """An exact product of integer matrices."""
    result = factors[0]
    for right in factors[1:]:
        result = [[sum(x * y for x, y in zip(row, column)) for column in zip(*right)] for row in result]
    return [[float(x) for x in row] for row in result]


SHEAR = [[1, 2, 0], [0, 1, -1], [0, 0, 1]]
UNSHEAR = [[1, -2, -2], [0, 1, 1], [0, 0, 1]]
TILT = [[1, 0, 0], [3, 1, 0], [-1, 2, 1]]
UNTILT = [[1, 0, 0], [-3, 1, 0], [7, -2, 1]]
P, Q = product(SHEAR, TILT), product(UNTILT, UNSHEAR)

CASES = []


def add(family, rows):
    CASES.append((family, [[float(x) for x in row] for row in rows]))


for x in (-43, -7.3, -1e-9, 0.1, 1, 5, 12.25, 43):
    add("scalar", [[x]])
    add("multiple of the identity", [[x, 0, 0], [0, x, 0], [0, 0, x]])
for angle in (1e-8, 0.5, 1.4, 1.5, 3.14159, 22.0, 355.0, 1000.1, 9999.9, 1e4):
    add("rotation 2x2", [[0, -angle], [angle, 0]])
    add("sheared rotation 2x2", [[2 * angle, -5 * angle], [angle, -2 * angle]])
for angle in (1.0, 50.5, 1e4):
    add("rotations 4x4", [[0, -angle, 0, 0], [angle, 0, 0, 0], [0, 0, 0, angle / 3], [0, 0, -angle / 3, 0]])
for n, scale in ((3, 0.7), (3, 5e3), (4, 100), (5, 5e3), (8, 1)):
    add("skew", skew(n, scale))
for n, scale in ((2, 0.3), (2, 20), (3, 1), (3, 40), (5, 10), (8, 4)):
    add("symmetric", symmetric(n, scale))
for values in ((1, 2, 3), (-40, 0.5, 30), (-1000, -1, 0), (43, -43, 0)):
    add("diagonal", [[values[0], 0, 0], [0, values[1], 0], [0, 0, values[2]]])
    add("diagonalisable", product(P, [[values[0], 0, 0], [0, values[1], 0], [0, 0, values[2]]], Q))
for n in (2, 3, 4, 6, 10):
    for scale in (1e-6, 0.3, 1, 6, 25):
        add("random", draw(n, scale))
for x in (-2, 0.1, 5, 30):
    add("defective 2x2", [[x, 1], [0, x]])
    add("defective 2x2", [[x + 2, 1], [-4, x - 2]])
    add("defective", [[x, 1, 0], [0, x, 1], [0, 0, x]])
    add("defective", product(P, [[x, 1, 0], [0, x, 1], [0, 0, x]], Q))
    add("defective", product(P, [[x, 1, 0], [0, x, 0], [0, 0, -1]], Q))
for x in (1, 1e3, 1e6, 1e12):
    add("far from normal 2x2", [[1, x], [0, -1]])
    add("far from normal 2x2", [[-2, x], [-1 / x, 3]])
    add("far from normal", [[1, x, x], [0, -1, x], [0, 0, 2]])
    add("far from normal", [[1, x, 0], [-1 / x, 1, x], [0, 1 / x, -3]])
add("Moler and Van Loan", [[-49, 24], [-64, 31]])
add("Ward", [[4, 2, 0], [1, 4, 1], [1, 1, 4]])
add("Ward", [[29.87942128909879, 0.7815750847907159, -2.289519314033932],
             [0.7815750847907159, 25.72656945571064, 8.680737820540137],
             [-2.289519314033932, 8.680737820540137, 34.39400925519054]])
add("Ward", [[-131, 19, 18], [-390, 56, 54], [-387, 57, 52]])
for x in (0.0, 1.0, -1.0):
    add("nearly defective", [[x, 1], [2.0**-50, x]])
    add("nearly defective", [[x, 1, 0], [0, x + 2.0**-40, 1], [0, 0, x - 2.0**-45]])
add("beyond 1e300", [[0, 1e308], [0, 1]])
add("beyond 1e300", [[0, 1e308, 0], [0, 1, 1], [0, 0, -2]])
add("beyond 1e300", [[0, 1e300, 0], [1e-300, 0, 1], [0, 1e-200, 1]])
add("huge exponents", [[709, 1, 0], [0, 708, 1], [0, 1, 700]])
add("huge exponents", [[709.5, 0.25], [-0.25, 709]])
add("huge exponents", [[-1e5, 3, 1], [2, -1, 1], [0, 1, -2e5]])
add("huge exponents", [[-1e10, 0], [1, -3]])

print("family,rows,columns,entries,exponential,direction,derivative")
for family, rows in CASES:
    n = len(rows)
    a = matrix(rows)
    exact = expm(a)
    mp.dps = 400
    again = expm(matrix(rows))
    assert norm(again - exact) < mpf(10) ** -60 * norm(again), family
    mp.dps = 250
    if family.startswith("rotation 2x2"):
        assert abs(exact[0, 0] - cos(mpf(rows[1][0]))) < mpf(10) ** -60
    e = [[random.uniform(-1, 1) for _ in range(n)] for _ in range(n)]
    h = mpf(10) ** -60
    slope = (expm(a + h * matrix(e)) - expm(a - h * matrix(e))) / (2 * h)
    text = [" ".join(repr(x) for row in m for x in row) for m in (rows, e)]
    digits = [" ".join(nstr(m[i, j], 20) for i in range(n) for j in range(n)) for m in (exact, slope)]
    print(f"{family},{n},{n},{text[0]},{digits[0]},{text[1]},{digits[1]}")

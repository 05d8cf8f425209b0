"""Writes matrices.json beside this file: reduced echelon forms and null spaces of rational matrices by SymPy 1.14."""

import json
import random
from pathlib import Path

import sympy

random.seed(20)


def drawn(rows, columns, rank):
    def number():
        return sympy.Rational(random.randint(-9, 9), random.randint(1, 5))

    return sympy.Matrix(rows, rank, lambda *_: number()) * sympy.Matrix(rank, columns, lambda *_: number())


def texts(matrix):
    return [[str(entry) for entry in row] for row in matrix.tolist()]


def echelon(matrix):
    reduced, pivots = matrix.rref()
    return reduced[: len(pivots), :]


def case(matrix):
    null = matrix.nullspace()
    return {
        "columns": matrix.cols,
        "matrix": texts(matrix),
        "echelon": texts(echelon(matrix)),
        "null_space": texts(echelon(sympy.Matrix.hstack(*null).T)) if null else [],
    }


CASES = [
    sympy.Matrix(5, 5, lambda i, j: sympy.Rational(1, i + j + 1)),  # Hilbert
    sympy.Matrix(3, 3, lambda i, j: 10 ** (8 * i) * (j + 1) ** i),
    drawn(4, 6, 2),
    drawn(6, 4, 3),
    drawn(5, 7, 4),
    sympy.zeros(2, 3),
]
(Path(__file__).parent / "matrices.json").write_text(
    "[\n" + ",\n".join(json.dumps(case(matrix)) for matrix in CASES) + "\n]\n"
)

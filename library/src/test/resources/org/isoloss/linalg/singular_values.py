"""Singular values of small matrices with exact entries, in 50 digits: name, rows, columns, entries, values."""
from mpmath import mp, matrix, svd_r

mp.dps = 50

CASES = {
    "wide integers": [[3, 1, -2, 4], [0, 5, 1, -1]],
    "tall integers": [[1, 2], [3, 4], [5, 6], [-7, 8]],
    "graded": [[1, 1, 1], [1, 1 + 2.0**-20, 1], [1, 1, 1 + 2.0**-40]],
    "eighths": [[(i * 7 + j * 3) % 11 / 8.0 for j in range(5)] for i in range(5)],
}

print("name,rows,columns,entries,values")
for name, rows in CASES.items():
    values = sorted(svd_r(matrix(rows), compute_uv=False), reverse=True)
    entries = " ".join(repr(float(x)) for row in rows for x in row)
    print(f"{name},{len(rows)},{len(rows[0])},{entries},{' '.join(mp.nstr(v, 25) for v in values)}")

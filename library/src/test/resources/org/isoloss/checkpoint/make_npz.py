"""Writes numbers.npz, objects.npz and fortran.npy, which NpzTest reads.

    python make_npz.py     with numpy 2.4.6
"""
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
a = np.arange(24, dtype="<f8").reshape(2, 3, 4) / 8
np.savez(
    HERE / "numbers.npz",
    f8=np.array([[0.1, -0.0, 5e-324], [np.pi, np.inf, -1e308]]),
    f4=np.array([0.1, 1e-45, -2], dtype="<f4"),
    f2=np.array([0.1, 6e-8, -2], dtype="<f2"),
    i8=np.array([-2**63, 0, 2**63 - 1]),
    i4=np.array([[-7], [7]], dtype="<i4"),
    u1=np.array([0, 255], dtype="u1"),
    b1=np.array([True, False]),
    scalar=np.float64(2.5),
    empty=np.zeros((3, 0)),
    fortran=np.asfortranarray(a),
    big_endian=np.array([1.5], dtype=">f8"),
    text=np.array(["a"]),
)
np.savez(HERE / "objects.npz", allow_pickle=True, x=np.array([None, {}], dtype=object), y=np.zeros(1), z=np.zeros(1, dtype=[("p", "<f4")]))
np.save(HERE / "fortran.npy", np.asfortranarray(a[0]))

"""Makes sites.csv with numpy 2.4.6 and scipy 1.17.1: python sites.py > sites.csv

A 5-12-3 network with GELU (erf) and biases, four inputs. Quantities: the parameters W1, b1, W2, b2; the inputs one after the
other; the compensating units as scipy's pivoted QR of the transposed features picks them over all units; the singular
values of their features; per unit its contribution to the output and its sensitivity, here from numpy's unpivoted QR of the
augmented inputs; the moving unit of largest contribution and the most sensitive one among the non-compensators.
"""
import numpy as np
import scipy.linalg
from scipy.special import erf

rng = np.random.default_rng(3)
n, H, m, k = 5, 12, 3, 4
V, b, U, c = rng.normal(size=(H, n)), rng.normal(size=H), rng.normal(size=(m, H)), rng.normal(size=m)
X = rng.normal(size=(k, n))
cdf = lambda z: 0.5 * (1 + erf(z / np.sqrt(2)))
gelu = lambda z: z * cdf(z)
slope = lambda z: cdf(z) + z * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
P = V @ X.T + b[:, None]
Z = gelu(P)
B = scipy.linalg.qr(Z.T, mode="r", pivoting=True)[1][:k]
Xa = np.vstack([X.T, np.ones(k)])
R = np.linalg.qr(Xa)[1]
contribution = np.linalg.norm(U, axis=0) * np.linalg.norm(Z, axis=1)
sensitivity = np.array([
    np.linalg.svd(np.linalg.norm(U[:, j]) * np.diag(slope(P[j])) @ R.T, compute_uv=False)[-1] / contribution[j]
    for j in range(H)])
rest = [j for j in range(H) if j not in B]
median = np.median(contribution[rest])
rows = {
    "parameters": np.concatenate([V.ravel(), b, U.ravel(), c]), "inputs": X.ravel(), "compensators": B,
    "singular_values": np.linalg.svd(Z[B], compute_uv=False), "contribution": contribution, "sensitivity": sensitivity,
    "largest": [max(rest, key=lambda j: contribution[j])],
    "most_sensitive": [max((j for j in rest if contribution[j] >= median), key=lambda j: sensitivity[j])],
}
for name, values in rows.items():
    print(",".join([name] + [repr(float(v)) for v in values]))

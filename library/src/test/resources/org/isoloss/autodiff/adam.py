"""Weights under torch.optim.Adam in float64, gradients clipped to a global norm of 10 as optax does it.

Row "start,<weights>", then for each step "step,<learning rate>,<gradient ...>,<weights after it ...>".
"""
import torch

torch.manual_seed(3)
weights = torch.randn(5, dtype=torch.float64).requires_grad_()
print("start", *[repr(w) for w in weights.tolist()], sep=",")
optimiser = torch.optim.Adam([weights], lr=1e-3)
for step in range(1, 13):
    rate = 1e-3 / step
    gradient = torch.randn(5, dtype=torch.float64) * (1 if step % 3 else 20)
    norm = gradient.norm()
    weights.grad = gradient * (10 / norm if norm > 10 else 1)
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.step()
    print("step", *[repr(x) for x in [rate] + gradient.tolist() + weights.tolist()], sep=",")

"""Makes dense_networks.csv with PyTorch 2.15.0 in float64: python dense_networks.py > dense_networks.csv

A 3-4-5-2 network with biases in the first and the last layer only and three inputs. One row a quantity:
activation, quantity, then the numbers: the parameters in the order W1, b1, W2, W3, b3, the inputs one after the other,
the outputs one input after the other, and the Jacobian of the outputs in the parameters row by row.
"""
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)
KINDS = {
    "identity": nn.Identity, "relu": nn.ReLU, "leaky_relu": nn.LeakyReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh,
    "gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU(approximate="tanh"), "silu": nn.SiLU, "softplus": nn.Softplus,
}
for name, kind in KINDS.items():
    net = nn.Sequential(nn.Linear(3, 4), kind(), nn.Linear(4, 5, bias=False), kind(), nn.Linear(5, 2))
    for p in net.parameters():
        p.data = torch.randn_like(p)
    x = torch.randn(3, 3)
    theta = torch.cat([p.data.reshape(-1) for p in net.parameters()])

    def outputs(vector):
        names, at, values = [n for n, _ in net.named_parameters()], 0, {}
        for n, p in net.named_parameters():
            values[n] = vector[at:at + p.numel()].reshape(p.shape)
            at += p.numel()
        return torch.func.functional_call(net, values, (x,)).reshape(-1)

    rows = {"parameters": theta, "inputs": x.reshape(-1), "outputs": outputs(theta),
            "jacobian": torch.autograd.functional.jacobian(outputs, theta).reshape(-1)}
    for quantity, numbers in rows.items():
        print(",".join([name, quantity] + [repr(v) for v in numbers.tolist()]))

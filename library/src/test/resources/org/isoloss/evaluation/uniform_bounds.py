"""The uniform bounds at 50 digits, with F_K as the integral that defines it and not in closed form."""

import random

import mpmath as mp

mp.mp.dps = 50
random.seed(7)
print("identity,transport,loss,growth,derivative,length,growth_integral,composition,output,inverse")
for growth in (0, 1e-12, 1e-6, 1e-3, 0.1, 1, 3, 20):
    for length in (1e-8, 0.1, 0.5, 2, 8):
        identity, transport, loss = (10 ** random.uniform(-6, 0) for _ in range(3))
        derivative = 10 ** random.uniform(-1, 2)
        numbers = [float(x) for x in (identity, transport, loss, growth, derivative, length)]
        d, e, s, k, m, l = (mp.mpf(x) for x in numbers)
        integral = l if k == 0 else mp.quad(lambda t: mp.exp(k * t), [0, l])
        composition = d * mp.exp(k * l) + 2 * e * integral
        output = m * d + (s + m * e) * l
        results = [mp.nstr(x, 20) for x in (integral, composition, output, d + composition)]
        print(",".join([repr(x) for x in numbers] + results))

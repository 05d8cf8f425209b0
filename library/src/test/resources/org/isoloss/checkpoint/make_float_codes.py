"""Writes float-codes.csv: binary64 numbers and the nearest binary32, binary16 and bfloat16, ties to even.

    python make_float_codes.py     with numpy 2.4.6

binary32 and binary16 are numpy's own conversions; bfloat16, which numpy lacks, is rounded with fractions.Fraction, and the
same rounding is compared with numpy for the other two.
"""
import math
import random
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np

FORMATS = {"binary32": (8, 23), "binary16": (5, 10), "bfloat16": (8, 7)}


def nearest(value, exponent_bits, fraction_bits):
    bias = 2 ** (exponent_bits - 1) - 1
    sign = (math.copysign(1, value) < 0) << (exponent_bits + fraction_bits)
    infinity = (2 ** exponent_bits - 1) << fraction_bits
    if math.isinf(value):
        return sign | infinity
    exact = abs(Fraction(value))
    if exact == 0:
        return sign
    exponent = max(math.frexp(abs(value))[1] - 1, 1 - bias)
    steps = round(exact / Fraction(2) ** (exponent - fraction_bits))          # Python rounds ties to even
    return sign | min(steps + ((exponent + bias - 1) << fraction_bits), infinity)


def inputs():
    draw = random.Random(20261127)
    values = [0.0, 1.0, math.inf, 65504.0, 65519.99, 65520.0, 3.4028235677973366e38, 3.4028235677973362e38, 3.3895313892515355e38,
              3.3961775292304601e38, 3.396177529230460e38, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]
    for exponent_bits, fraction_bits in FORMATS.values():
        least = 2 - 2 ** (exponent_bits - 1)                                  # exponent of the least normal number
        for exponent in (least - fraction_bits - 2, least - fraction_bits - 1, least - fraction_bits, least - 3, least - 1, least, 0, 5):
            for _ in range(3):
                middle = math.ldexp(2 * draw.randrange(2 ** fraction_bits) + 1 + 2 ** (fraction_bits + 1), exponent - fraction_bits - 1)
                values += [middle, math.nextafter(middle, 0), math.nextafter(middle, math.inf)]
        for n in (0, 1, 2, 3):                                                # half way between subnormals
            values.append(math.ldexp(2 * n + 1, least - fraction_bits - 1))
    values += [math.ldexp(draw.random() + 1, draw.randrange(-160, 130)) for _ in range(60)]
    return [v if draw.random() < 0.7 else -v for v in values]


rows = []
for value in inputs():
    codes = {name: nearest(value, *bits) for name, bits in FORMATS.items()}
    with np.errstate(over="ignore", under="ignore"):
        assert codes["binary32"] == int(np.float64(value).astype(np.float32).view(np.uint32)), value
        assert codes["binary16"] == int(np.float64(value).astype(np.float16).view(np.uint16)), value
    rows.append(f"{struct.unpack('<Q', struct.pack('<d', value))[0]:016x},{codes['binary32']:08x},{codes['binary16']:04x},{codes['bfloat16']:04x}")
Path(__file__).with_name("float-codes.csv").write_text("binary64,binary32,binary16,bfloat16\n" + "\n".join(rows) + "\n")

#!/usr/bin/python3
"""Prints the bits that wire_test.cpp expects of float16 (numpy) and bfloat16 (PyTorch)."""
import numpy
import torch

values = [0.0, -0.0, 1.0, -2.0, 65504.0, 65520.0, 2.0**-24, 2.0**-25, 0.1, 1.0009765625, 1.00048828125, 1.00146484375,
          numpy.inf, -numpy.inf, 3.0e38, 1.00390625, 1.01171875]
floats = numpy.array(values, dtype=numpy.float32)
print([f"0x{bits:04X}" for bits in floats.astype(numpy.float16).view(numpy.uint16)])
print([f"0x{bits & 0xFFFF:04X}" for bits in torch.tensor(floats).to(torch.bfloat16).view(torch.int16).tolist()])

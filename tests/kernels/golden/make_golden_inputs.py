#!/usr/bin/env python3
"""Golden values of a network with two inputs, an image and a row of magnitudes, computed by PyTorch in double precision.

    python3 tests/kernels/golden/make_golden_inputs.py

writes inputs_*.npy beside this script. Ten steps of SGD with momentum; a row of inputs_rows is one example: its image in
C,H,W order, and its magnitudes behind it.
"""
import numpy
import torch
import torch.nn.functional as functional

from make_golden import flat, pad, save, single

STEPS, BATCH = 10, 6
IMAGE, MAGNITUDES = (2, 8, 8), 5


def forward(image, magnitudes, w):
    """conv 4 filters 3x3 same relu; the image behind it; conv 6 filters 3x3 valid tanh; max pooling 2; beside it dense 7
    relu of the magnitudes; dense 4."""
    first = torch.relu(functional.conv2d(pad(image, 3, 1, "same"), w[0], w[1]))
    planes = torch.cat((first, image), 1)
    pooled = functional.max_pool2d(torch.tanh(functional.conv2d(planes, w[2], w[3])), 2).flatten(1)
    row = torch.relu(magnitudes @ w[4].t() + w[5])
    return torch.cat((pooled, row), 1) @ w[6].t() + w[7]


def main():
    torch.manual_seed(20240301)
    shapes = (((4, 2, 3, 3), 0.4), ((4,), 0.1), ((6, 6, 3, 3), 0.2), ((6,), 0.1), ((7, MAGNITUDES), 0.5), ((7,), 0.1),
              ((4, 6 * 9 + 7), 0.3), ((4,), 0.1))
    weights = [single(*shape, scale=scale).requires_grad_() for shape, scale in shapes]
    images, magnitudes = single(STEPS, BATCH, *IMAGE), single(STEPS, BATCH, MAGNITUDES, scale=2.0)
    labels = torch.randint(4, (STEPS, BATCH))
    save("inputs_rows", torch.cat((images.flatten(2), magnitudes), 2), numpy.float32)
    save("inputs_labels", labels, numpy.int32)
    save("inputs_initial", flat(weights), numpy.float32)
    optimizer = torch.optim.SGD(weights, lr=0.05, momentum=0.9)
    losses = []
    for image, row, label in zip(images, magnitudes, labels):
        optimizer.zero_grad()
        loss = functional.cross_entropy(forward(image, row, weights), label)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    save("inputs_losses", torch.tensor(losses))
    save("inputs_final", flat(weights))


if __name__ == "__main__":
    main()

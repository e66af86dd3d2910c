#!/usr/bin/env python3
"""Golden results of ten training steps of resnet_v2 of depth 11, computed by PyTorch in double precision.

    python3 tests/kernels/golden/make_golden_resnet.py

writes resnet_*.npy beside this script (Debian 12: python3-torch). Weights, images and labels come of a hash of their
position, which tests/kernels/golden_resnet.cpp computes too, so that only results need to be kept. Batch normalisation
as in Keras: epsilon 1e-3, momentum 0.99 (PyTorch's 0.01), the moving variance unbiased; L2 of 1e-4 on convolution kernels,
which the losses are told without.
"""
import pathlib

import numpy
import torch
import torch.nn.functional as functional

FOLDER = pathlib.Path(__file__).resolve().parent
STEPS, BATCH = 10, 8
L2 = 1e-4
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def hashed(key, shape):
    """Numbers in [-1, 1) that depend on the key and their position."""
    count = int(numpy.prod(shape))
    with numpy.errstate(over="ignore"):
        h = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(2654435761) + numpy.uint32(key * 40503 + 12345)
        for _ in range(2):
            h = (h ^ (h >> numpy.uint32(16))) * numpy.uint32(0x45D9F3B)
        h ^= h >> numpy.uint32(16)
    return torch.from_numpy((h.astype(numpy.float64) / 2**31 - 1).reshape(shape))


class Network:
    """Parameters in the order of the layers; the key of a parameter is its place in that order."""

    def __init__(self):
        self.values, self.kernels, self.moving = [], [], {}
        self.blocks = []
        self.stem, self.stem_norm = self.conv(3, 16, 3), self.norm(16)
        channels, width = 16, 16
        for stage in range(3):
            wide = 4 * width if stage == 0 else 2 * width
            stride = 1 if stage == 0 else 2
            norm1 = None if stage == 0 else self.norm(channels)
            conv1 = self.conv(channels, width, 1)
            norm2, conv2 = self.norm(width), self.conv(width, width, 3)
            norm3, conv3 = self.norm(width), self.conv(width, wide, 1)
            shortcut = self.conv(channels, wide, 1)
            self.blocks.append((stride, norm1, conv1, norm2, conv2, norm3, conv3, shortcut))
            channels = width = wide
        self.last_norm = self.norm(channels)
        self.classes = self.add(hashed(self.key(), (10, channels)) * numpy.sqrt(3.0 / channels)), self.bias(10)

    def key(self):
        return len(self.values) + 2 * len(self.moving)

    def add(self, value):
        self.values.append(value.float().double().requires_grad_())
        return self.values[-1]

    def bias(self, count):
        return self.add(0.1 * hashed(self.key(), (count,)))

    def conv(self, inputs, outputs, size):
        scale = numpy.sqrt(6.0 / (inputs * size * size))
        weight = self.add(hashed(self.key(), (outputs, inputs, size, size)) * scale)
        self.kernels.append(weight)
        return weight, self.bias(outputs)

    def norm(self, channels):
        gamma = self.add(1 + 0.2 * hashed(self.key(), (channels,)))
        beta = self.add(0.2 * hashed(self.key(), (channels,)))
        self.moving[id(gamma)] = (torch.zeros(channels), torch.ones(channels))
        return gamma, beta

    def forward(self, x, training):
        def conv(x, layer, stride=1):
            weight, bias = layer
            return functional.conv2d(x, weight, bias, stride=stride, padding=weight.shape[2] // 2)

        def norm_relu(x, layer):
            mean, variance = self.moving[id(layer[0])]
            return torch.relu(functional.batch_norm(x, mean, variance, *layer, training=training, momentum=0.01, eps=1e-3))

        x = norm_relu(conv(x, self.stem), self.stem_norm)
        for stride, norm1, conv1, norm2, conv2, norm3, conv3, shortcut in self.blocks:
            y = conv(norm_relu(x, norm1) if norm1 else x, conv1, stride)
            y = conv(norm_relu(y, norm2), conv2)
            y = conv(norm_relu(y, norm3), conv3)
            x = y + conv(x, shortcut, stride)
        x = functional.avg_pool2d(norm_relu(x, self.last_norm), 8).flatten(1)
        return x @ self.classes[0].t() + self.classes[1]


def main():
    network = Network()
    optimizer = torch.optim.SGD(network.values, lr=0.05, momentum=0.9)
    losses, penalties = [], []
    for step in range(STEPS):
        images = hashed(1000 + step, (BATCH, 3, 32, 32)).float().double()
        labels = (hashed(2000 + step, (BATCH,)) * 5 + 5).long()
        optimizer.zero_grad()
        loss = functional.cross_entropy(network.forward(images, True), labels)
        penalty = L2 * sum((w * w).sum() for w in network.kernels)
        (loss + penalty).backward()
        optimizer.step()
        losses.append(loss.item())
        penalties.append(penalty.item())
    images = hashed(1000, (BATCH, 3, 32, 32)).float().double()
    labels = (hashed(2000, (BATCH,)) * 5 + 5).long()
    evaluation = functional.cross_entropy(network.forward(images, False), labels).item()
    save = lambda name, values: numpy.save(FOLDER / f"resnet_{name}.npy", numpy.asarray(values, dtype=numpy.float64))
    save("losses", losses)
    save("penalties", penalties)
    save("evaluation", [evaluation])
    save("norms", [value.norm().item() for value in network.values])
    mean, variance = network.moving[id(network.last_norm[0])]
    save("moving_mean", mean.numpy())
    save("moving_variance", variance.numpy())
    save("classes", network.classes[0].detach().numpy().reshape(-1))
    print(sum(v.numel() for v in network.values), "trained;", losses, evaluation)


if __name__ == "__main__":
    main()

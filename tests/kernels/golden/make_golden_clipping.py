#!/usr/bin/env python3
"""Golden results of training with clipped gradients, computed by PyTorch in double precision.

    python3 tests/kernels/golden/make_golden_clipping.py

writes clip_*.npy beside this script (Debian 12: python3-torch), from the start and batches of make_golden.py and
make_golden_resnet.py, which come first. The limits are such that some steps are clipped and others are not. The gradient
that is clipped is that of loss and L2 penalty together, as Keras clips what its kernel_regularizer adds to.
"""
import numpy
import torch
import torch.nn.functional as functional

import make_golden
import make_golden_resnet as resnet
from make_golden import FOLDER, flat, save

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "adadelta": lambda p: torch.optim.Adadelta(p, lr=1.0, rho=0.95, eps=1e-7),
}


def by_global_norm(parameters, limit):
    return torch.nn.utils.clip_grad_norm_(parameters, limit).item()


def by_norm(parameters, limit):
    for parameter in parameters:
        torch.nn.utils.clip_grad_norm_([parameter], limit)


def by_value(parameters, limit):
    torch.nn.utils.clip_grad_value_(parameters, limit)


CLIPPINGS = {"global_norm": (by_global_norm, 1.0), "norm": (by_norm, 0.5), "value": (by_value, 0.05)}


def load(name):
    return torch.from_numpy(numpy.load(FOLDER / f"{name}.npy"))


def start():
    network = make_golden.SmallNetwork()
    values, used = load("train_initial").double(), 0
    for parameter in network.parameters_in_order:
        parameter.data = values[used:used + parameter.numel()].reshape(parameter.shape).clone()
        used += parameter.numel()
    return network


def small_network(optimizer_name, clipping_name):
    clip, limit = CLIPPINGS[clipping_name]
    network = start()
    parameters = list(network.parameters())
    optimizer = OPTIMIZERS[optimizer_name](parameters)
    losses, norms = [], []
    for x, t in zip(load("train_images").double(), load("train_labels").long()):
        optimizer.zero_grad()
        loss = functional.cross_entropy(network(x), t)
        loss.backward()
        norms.append(clip(parameters, limit))
        optimizer.step()
        losses.append(loss.item())
    name = f"clip_{optimizer_name}_{clipping_name}"
    save(f"{name}_losses", torch.tensor(losses))
    save(f"{name}_final", flat(network.parameters_in_order))
    if norms[0] is not None:
        save(f"{name}_norms", torch.tensor(norms))
        print(name, [f"{norm:.3f}" for norm in norms])


def resnet_with_penalty(limit):
    network = resnet.Network()
    optimizer = torch.optim.SGD(network.values, lr=0.05, momentum=0.9)
    losses, norms = [], []
    for step in range(resnet.STEPS):
        images = resnet.hashed(1000 + step, (resnet.BATCH, 3, 32, 32)).float().double()
        labels = (resnet.hashed(2000 + step, (resnet.BATCH,)) * 5 + 5).long()
        optimizer.zero_grad()
        loss = functional.cross_entropy(network.forward(images, True), labels)
        # A penalty a hundred times that of the network's default, so that its part of the gradient counts.
        (loss + 100 * resnet.L2 * sum((w * w).sum() for w in network.kernels)).backward()
        norms.append(by_global_norm(network.values, limit))
        optimizer.step()
        losses.append(loss.item())
    save("clip_resnet_losses", torch.tensor(losses))
    save("clip_resnet_norms", torch.tensor(norms))
    print("resnet", [f"{norm:.3f}" for norm in norms], losses)


def main():
    for clipping in CLIPPINGS:
        small_network("sgd", clipping)
    small_network("adadelta", "global_norm")
    resnet_with_penalty(2.5)


if __name__ == "__main__":
    main()

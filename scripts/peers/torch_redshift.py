#!/usr/bin/env python3
"""The network `redshift` trained by PyTorch, on arrays that `convoy dataset write` has written: a measure of convoy's accuracy.

usage: torch_redshift.py FOLDER [EPOCHS] [SEED] [BATCH_SIZE]

FOLDER has train_images.npy, train_labels.npy, test_images.npy and test_labels.npy. The training is that of experiments/redshift.json:
Adam with a rate of 1e-4 and an epsilon of 1e-7, batches of 32, 50 epochs. Initial values (Glorot's uniform ones, biases of zero),
batch normalisation (momentum 0.99, epsilon 1e-3) and the penalty (0.2 times the sum of the kernel's squares is added to the loss)
are Keras'. Runs on one thread. Prints the loss and the accuracy of each tenth epoch, and of the last one.
"""
import pathlib
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

PENALTY = 0.2


class SamePool(nn.Module):
    """Max pooling of 3 with stride 2; the odd place of the padding is at the end, as in TensorFlow."""

    def forward(self, x):
        length = x.shape[-1]
        missing = max((-(-length // 2) - 1) * 2 + 3 - length, 0)
        return functional.max_pool1d(functional.pad(x, (missing // 2, missing - missing // 2), value=-float("inf")), 3, 2)


def block(channels):
    return [nn.ConstantPad1d((3, 4), 0.0), nn.Conv1d(channels, 16, 8), nn.ReLU(), SamePool(),
            nn.BatchNorm1d(16, eps=1e-3, momentum=0.01)]


def redshift(classes):
    network = nn.Sequential(*block(1), *block(16), *block(16), nn.Flatten(), nn.Dropout(0.5), nn.Linear(3568, 512),
                            nn.Dropout(0.5), nn.Linear(512, classes))
    for module in network.modules():
        if isinstance(module, (nn.Conv1d, nn.Linear)):
            nn.init.xavier_uniform_(module.weight)
            nn.init.zeros_(module.bias)
    return network


def evaluate(network, x, y):
    network.eval()
    with torch.no_grad():
        outputs = torch.cat([network(part) for part in x.split(100)])
    network.train()
    return functional.cross_entropy(outputs, y).item(), (outputs.argmax(1) == y).float().mean().item()


def load(folder, name):
    images = np.load(folder / f"{name}_images.npy")
    labels = np.load(folder / f"{name}_labels.npy").astype(np.int64)
    return torch.from_numpy(images.reshape(len(images), 1, -1)), torch.from_numpy(labels)


def main(folder, epochs=50, seed=1, batch=32):
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    x, y = load(folder, "train")
    test = load(folder, "test")
    network = redshift(max(int(y.max()), int(test[1].max())) + 1)
    penalised = [module for module in network if isinstance(module, nn.Linear)][0].weight
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-4, eps=1e-7)
    began = time.perf_counter()
    for epoch in range(1, epochs + 1):
        order = torch.randperm(len(x))
        loss_sum, correct = 0.0, 0
        for chosen in order.split(batch):
            optimizer.zero_grad()
            outputs = network(x[chosen])
            loss = functional.cross_entropy(outputs, y[chosen])
            (loss + PENALTY * (penalised**2).sum()).backward()
            optimizer.step()
            loss_sum += loss.item() * len(chosen)
            correct += int((outputs.argmax(1) == y[chosen]).sum())
        if epoch % 10 == 0 or epoch == epochs:
            test_loss, accuracy = evaluate(network, *test)
            print(f"epoch {epoch}: train loss {loss_sum / len(x):.4f}, train accuracy {correct / len(x):.4f}, "
                  f"test loss {test_loss:.4f}, test accuracy {accuracy:.4f}, {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *(int(word) for word in sys.argv[2:]))

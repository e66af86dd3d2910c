#!/usr/bin/env python3
"""The peer of scripts/bench-peers: networks trained by PyTorch, with DistributedDataParallel over Gloo for several nodes.

usage: torch_step.py NODES IMAGES_PER_NODE STEPS [NETWORK]

NETWORK: mnist_cnn (without it), resnet_v2_56, vgg11, mobilenet_v1, depthwise or redshift.

Each node is a process with one thread, on random images that are in memory before the clock starts. Node 0 first trains a few
steps alone in each of PyTorch's two memory formats, and all nodes take the faster one. Prints the images per second of all nodes
together, from the median of rank 0's step times after three warm-up steps, or from their mean with STEP_FIGURE=mean. Where RANK is set (with
MASTER_ADDR, MASTER_PORT and GLOO_SOCKET_IFNAME, see torch.distributed) this process is that one node; else it starts all.
"""
import os
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def mnist_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(),
        nn.Conv2d(32, 64, 3), nn.ReLU(),
        nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
        nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, 10),
    )


class Bottleneck(nn.Module):
    """Keras' cifar10_resnet version 2: normalisation and ReLU before each convolution (He et al., arXiv:1603.05027)."""

    def __init__(self, channels_in, channels, channels_out, stride, widens, first):
        super().__init__()
        before = [] if first else [nn.BatchNorm2d(channels_in), nn.ReLU()]
        self.body = nn.Sequential(
            *before, nn.Conv2d(channels_in, channels, 1, stride),
            nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1),
            nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, channels_out, 1))
        self.shortcut = nn.Conv2d(channels_in, channels_out, 1, stride) if widens else nn.Identity()

    def forward(self, x):
        return self.body(x) + self.shortcut(x)


def resnet_v2_56():
    layers = [nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()]
    have = channels = 16
    for stage in range(3):
        out = channels * (4 if stage == 0 else 2)
        for block in range(6):
            stride = 2 if stage > 0 and block == 0 else 1
            layers.append(Bottleneck(have, channels, out, stride, block == 0, stage == 0 and block == 0))
            have = out
        channels = out
    layers += [nn.BatchNorm2d(have), nn.ReLU(), nn.AvgPool2d(8), nn.Flatten(), nn.Linear(have, 10)]
    return nn.Sequential(*layers)


def vgg11():
    layers, have = [], 3
    for width in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        if width:
            layers += [nn.Conv2d(have, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
            have = width
        else:
            layers.append(nn.MaxPool2d(2))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10))


def mobilenet_v1():
    def unit(*convolution, **settings):
        return [nn.Conv2d(*convolution, bias=False, **settings), nn.BatchNorm2d(convolution[1]), nn.ReLU()]
    layers, have = unit(3, 32, 3, padding=1), 32
    for width, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        layers += unit(have, have, 3, stride=stride, padding=1, groups=have) + unit(have, width, 1)
        have = width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 10))


def depthwise():
    """Four depthwise convolutions; the pointwise one in front gives them their channels."""
    layers = [nn.Conv2d(3, 128, 1)]
    for _ in range(4):
        layers += [nn.Conv2d(128, 128, 3, padding=1, groups=128, bias=False), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


def redshift():
    """Spectra of 1780 bins as rows of an image, which has both memory formats."""
    layers, have = [], 1
    for _ in range(3):
        layers += [nn.ConstantPad2d((3, 4, 0, 0), 0.0), nn.Conv2d(have, 16, (1, 8)), nn.ReLU(),
                   nn.MaxPool2d((1, 3), (1, 2), (0, 1)), nn.BatchNorm2d(16, eps=1e-3)]
        have = 16
    return nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.5), nn.Linear(3568, 512), nn.Dropout(0.5), nn.Linear(512, 80))


NETWORKS = {"mnist_cnn": (mnist_cnn, (1, 28, 28)), "resnet_v2_56": (resnet_v2_56, (3, 32, 32)), "vgg11": (vgg11, (3, 32, 32)),
            "mobilenet_v1": (mobilenet_v1, (3, 32, 32)), "depthwise": (depthwise, (3, 32, 32)), "redshift": (redshift, (1, 1, 1780))}
# The layers whose weights have an L2 penalty, and the penalty.
PENALISED = {"resnet_v2_56": (lambda layer: isinstance(layer, nn.Conv2d), 1e-4),
             "redshift": (lambda layer: isinstance(layer, nn.Linear) and layer.out_features == 512, 0.2)}


def optimizer_of(network, penalised, penalty):
    """Adadelta; an L2 penalty on weights as twice that of weight decay, which has the same gradient."""
    kernels = [layer.weight for layer in network.modules() if penalised and penalised(layer)]
    known = {id(kernel) for kernel in kernels}
    others = [p for p in network.parameters() if id(p) not in known]
    groups = [{"params": others}] + ([{"params": kernels, "weight_decay": 2 * penalty}] if kernels else [])
    return torch.optim.Adadelta(groups, lr=1.0, rho=0.95, eps=1e-7)


def step_time(name, images, steps, memory_format, nodes=1):
    """Seconds of a training step, after three that do not count."""
    torch.manual_seed(1)
    make, shape = NETWORKS[name]
    network = make().to(memory_format=memory_format)
    optimizer = optimizer_of(network, *PENALISED.get(name, (None, 0.0)))
    if nodes > 1:
        network = nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True)
    loss_of = nn.CrossEntropyLoss()
    x = torch.rand(images, *shape).contiguous(memory_format=memory_format)
    y = torch.randint(0, 10, (images,))
    seconds = []
    for _ in range(steps + 3):
        began = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        loss_of(network(x), y).backward()
        optimizer.step()
        seconds.append(time.perf_counter() - began)
    figure = statistics.mean if os.environ.get("STEP_FIGURE") == "mean" else statistics.median
    return figure(seconds[3:])


def faster_format(name, images, rank, nodes):
    """The memory format in which node 0 trains faster alone."""
    formats = [torch.contiguous_format, torch.channels_last]
    chosen = torch.zeros(1, dtype=torch.int64)
    if rank == 0:
        times = [step_time(name, images, 5, each) for each in formats]
        chosen[0] = times.index(min(times))
    if nodes > 1:
        dist.broadcast(chosen, 0)
    return formats[int(chosen)]


def train(rank, nodes, images, steps, name):
    """Images per second of all nodes, as this one saw it."""
    torch.set_num_threads(1)
    if nodes > 1:
        dist.init_process_group("gloo", rank=rank, world_size=nodes)
    chosen = faster_format(name, images, rank, nodes)
    print(f"torch_step: {chosen}", file=sys.stderr)
    seconds = step_time(name, images, steps, chosen, nodes)
    if nodes > 1:
        dist.destroy_process_group()
    return nodes * images / seconds


def train_here(rank, nodes, images, steps, name, port, results):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    rate = train(rank, nodes, images, steps, name)
    if rank == 0:
        results.put(rate)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    count, per_node, number = (int(word) for word in sys.argv[1:4])
    which = sys.argv[4] if len(sys.argv) > 4 else "mnist_cnn"
    if "RANK" in os.environ:
        speed = train(int(os.environ["RANK"]), count, per_node, number, which)
        if os.environ["RANK"] == "0":
            print(f"{speed:.1f}")
        sys.exit()
    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    where = free_port()
    workers = [context.Process(target=train_here, args=(r, count, per_node, number, which, where, queue))
               for r in range(count)]
    for worker in workers:
        worker.start()
    print(f"{queue.get():.1f}")
    for worker in workers:
        worker.join()

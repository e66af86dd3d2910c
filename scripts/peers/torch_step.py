#!/usr/bin/env python3
"""The peer of scripts/bench-peers: mnist_cnn trained by PyTorch, with DistributedDataParallel over Gloo for several nodes.

usage: torch_step.py NODES IMAGES_PER_NODE STEPS

Each node is a process with one thread, on random images that are in memory before the clock starts. Prints the images per
second of all nodes together, from the median of rank 0's step times after three warm-up steps.
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


def train(rank, nodes, images, steps, port, results):
    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = mnist_cnn()
    if nodes > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
        dist.init_process_group("gloo", rank=rank, world_size=nodes)
        network = nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True)
    optimizer = torch.optim.Adadelta(network.parameters(), lr=1.0, rho=0.95, eps=1e-7)
    loss_of = nn.CrossEntropyLoss()
    x, y = torch.rand(images, 1, 28, 28), torch.randint(0, 10, (images,))
    seconds = []
    for _ in range(steps + 3):
        began = time.perf_counter()
        optimizer.zero_grad(set_to_none=False)
        loss_of(network(x), y).backward()
        optimizer.step()
        seconds.append(time.perf_counter() - began)
    if rank == 0:
        results.put(nodes * images / statistics.median(seconds[3:]))
    if nodes > 1:
        dist.destroy_process_group()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    count, per_node, number = (int(word) for word in sys.argv[1:4])
    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    where = free_port()
    workers = [context.Process(target=train, args=(r, count, per_node, number, where, queue)) for r in range(count)]
    for worker in workers:
        worker.start()
    print(f"{queue.get():.1f}")
    for worker in workers:
        worker.join()

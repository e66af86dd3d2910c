"""Prints the known answers of session_test.cpp: from FRAMES.md and Python's hmac, independent of convoy's own code."""

import hashlib
import hmac
import struct

TOKEN = b"swordfish"
RUN = bytes(range(16))
GREETING = RUN + bytes(range(100, 132)) + bytes(8)
GREETING_TLS = RUN + bytes(range(100, 132)) + bytes([1]) + bytes(7)
BINDING = bytes(range(50, 82))
VERSION = struct.pack("<H", 4)


def hello(purpose, wants_seal, world_size, from_rank, to_rank, connection):
    return struct.pack("<BB6xqqqq", purpose, wants_seal, world_size, from_rank, to_rank, connection) + bytes(range(200, 232))


def digest(key, label, *parts):
    return hmac.new(key, label + b"\0" + b"".join(parts), hashlib.sha256)


run_key = digest(TOKEN, b"convoy run", RUN)
print("key of the run          ", run_key.hexdigest())
for name, key, said in (("join", TOKEN, hello(1, 0, 0, -1, -1, 0)), ("data", run_key.digest(), hello(2, 1, 5, 3, 4, 1))):
    print(name, "proof of connector ", digest(key, b"convoy connector", VERSION, GREETING, said).hexdigest())
    for label in (b"convoy acceptor", b"convoy to acceptor", b"convoy to connector"):
        print(name, label.decode().ljust(19), digest(key, label, VERSION, GREETING, said, b"\1").hexdigest())
said = hello(2, 0, 5, 3, 4, 1)
print("tls  proof of connector ",
      digest(run_key.digest(), b"convoy connector", VERSION, GREETING_TLS, said, BINDING).hexdigest())
print("tls  convoy acceptor    ",
      digest(run_key.digest(), b"convoy acceptor", VERSION, GREETING_TLS, said, BINDING, b"\0").hexdigest())

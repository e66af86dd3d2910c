"""Writes CBOR (RFC 8949) for the scripts that make seeds, independent of convoy's own encoder."""

import struct


def head(major, count):
    if count < 24:
        return bytes([major << 5 | count])
    if count < 256:
        return bytes([major << 5 | 24, count])
    return bytes([major << 5 | 27]) + struct.pack(">Q", count)


def cbor(value):
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(value[key]) for key in value)

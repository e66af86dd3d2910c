"""A process that keeps one core busy, for measurements beside other work."""
import contextlib
import subprocess
import sys


@contextlib.contextmanager
def busy_core(busy):
    """Within it, a process computes without end if `busy` is true."""
    if not busy:
        yield
        return
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()

"""What the pages of scripts/reproduce-* share."""
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def built():
    """A convoy that is built now."""
    subprocess.run(["bash", "-c", ". scripts/common.sh; build_convoy >&2"], cwd=ROOT, check=True)
    return str(ROOT / "build/release/apps/convoy/convoy")


def version_of(convoy):
    """The first line that a program tells of its version, with the commit that it is built from."""
    return subprocess.run([convoy, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def began(run):
    """The day on which a run began, of its folder."""
    return json.loads((run / "environment.json").read_text())["date_utc"][:10]


def environment(convoy):
    """The machine and the program, in a line."""
    cpu = next(line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
               if line.startswith("model name"))
    return f"{cpu}, {os.cpu_count()} logical processors; {os.uname().sysname} {os.uname().release}; {version_of(convoy)}"

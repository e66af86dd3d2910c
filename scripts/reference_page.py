"""What the pages of scripts/reproduce-* share."""
import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def built():
    """A convoy that is built now."""
    subprocess.run(["bash", "-c", ". scripts/common.sh; build_convoy >&2"], cwd=ROOT, check=True)
    return str(ROOT / "build/release/apps/convoy/convoy")


def version_of(convoy):
    """The first line that a program tells of its version, with the commit that it is built from."""
    return subprocess.run([convoy, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def environment(convoy):
    """The machine and the program, in a line."""
    cpu = next(line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
               if line.startswith("model name"))
    return f"{cpu}, {os.cpu_count()} logical processors; {os.uname().sysname} {os.uname().release}; {version_of(convoy)}"


def ran_on(runs):
    """The day on which the first of some runs began, and a line with their machine and program. runs: their folders."""
    environments = [json.loads((run / "environment.json").read_text()) for run in runs]
    first = min(environments, key=lambda each: each["date_utc"])
    return first["date_utc"][:10], (f"{first['cpu']['model']}, {first['cpu']['cores']} logical processors; {first['kernel']}; "
                                    f"convoy {first['versions']['convoy']} ({first['build']['commit']})")


def write_page_of_sweep(description, spec, page, text_of):
    """The whole of a script that makes a page of a sweep: runs the sweep, unless its folder is given, and writes text_of(folder)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--convoy")
    parser.add_argument("--sweep", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        sweep = options.sweep or Path(place) / "sweep"
        if not options.sweep:
            convoy = options.convoy or built()
            fields = [word for field in options.set for word in ("--set", field)]
            subprocess.run([convoy, "sweep", str(spec), *fields, "--out", str(sweep), "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
        page.write_text(text_of(sweep))

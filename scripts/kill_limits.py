"""Full disks and control groups for scripts/kill-runs."""
import os
import shutil
import subprocess
import time
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
OLD_GROUPS = GROUPS / "memory"  # version 1


class Disk:
    """A folder of its own: a tmpfs with limits, or a plain folder."""

    def __init__(self, above, options):
        self.path = above / "disk"
        self.mounted = bool(options)
        self.path.mkdir()
        if options:
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.path], check=True)

    def grow(self):
        if self.mounted:
            subprocess.run(["mount", "-o", "remount,size=512m,nr_inodes=100000", self.path], check=True)

    def close(self):
        if self.mounted:
            subprocess.run(["umount", "-l", self.path], check=False)
        shutil.rmtree(self.path, ignore_errors=True)


class Group:
    """A control group with a limit of memory."""

    def __init__(self, megabytes):
        old = (OLD_GROUPS / "memory.limit_in_bytes").exists()
        self.path = (OLD_GROUPS if old else GROUPS) / f"convoy-kill-runs-{os.getpid()}"
        self.path.mkdir()
        (self.path / ("memory.limit_in_bytes" if old else "memory.max")).write_text(f"{megabytes}M")

    def enter(self):
        (self.path / "cgroup.procs").write_text("0")

    def close(self):
        for _ in range(100):
            try:
                self.path.rmdir()
                return
            except OSError:
                time.sleep(0.1)


def can_mount(folder):
    if os.geteuid() != 0:
        return False
    try:
        Disk(folder, "size=64k").close()
        return True
    except (OSError, subprocess.CalledProcessError):
        shutil.rmtree(folder / "disk", ignore_errors=True)
        return False


def can_limit_memory():
    try:
        Group(64).close()
        return True
    except OSError:
        return False


def usable(kinds, folder):
    """Without the kinds that this machine refuses; it says which."""
    refused = {kind for kind in ("space", "inodes") if kind in kinds and not can_mount(folder)}
    if "memory" in kinds and not can_limit_memory():
        refused.add("memory")
    if refused:
        print("left out, since this user or machine cannot do it:", ", ".join(sorted(refused)))
    return [kind for kind in kinds if kind not in refused]

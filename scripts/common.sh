# Sourced by the other scripts: where the checkout is, and how its parts are named.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# Whole folders take much memory at a time, so no more files than cores.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }

# as_root COMMAND...: as it is for root, else through sudo, which may ask for a password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# build PRESET [TARGET...]: configures and builds build/PRESET, quietly where nothing is wrong.
build() {
    local preset=$1
    shift
    cmake --preset "$preset" >"$root/build/$preset.configure.log" 2>&1 || {
        cat "$root/build/$preset.configure.log" >&2
        return 1
    }
    cmake --build --preset "$preset" ${1:+--target "$@"}
}

# build_convoy [OPTION of scripts/setup...]: installs the packages that are missing, and builds build/release/apps/convoy/convoy. Exits
# with the code of scripts/setup, or with 70 if the build fails.
build_convoy() {
    scripts/setup "$@"
    build release convoy >"$root/build/convoy.log" 2>&1 || { cat "$root/build/convoy.log" >&2; exit 70; }
}

# began SWEEP: the day on which the first run of a sweep's folder began.
began() {
    find "$1" -name environment.json -exec sed -n 's/.*"date_utc": *"\([0-9-]*\)T.*/\1/p' {} + | sort | head -1
}

# environment FILE: a run's environment.json as a Markdown table, and the commit that it was made with.
environment() {
    python3 -c 'import json, sys
def flat(prefix, value):
    if isinstance(value, dict):
        for key in value: yield from flat(f"{prefix}{key}.", value[key])
    elif not isinstance(value, list): yield f"| {prefix[:-1]} | {value} |"
print("| environment | |\n| --- | --- |")
for line in flat("", json.load(open(sys.argv[1]))): print(line)' "$1"
    echo "| commit of the script | $(git -C "$root" describe --always 2>/dev/null || echo unknown) |"
}
mkdir -p "$root/build"

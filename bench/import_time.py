"""How long ``import witnessmark`` and ``witnessmark --help`` take: targets 0.3 s and 0.5 s.

Usage: python bench/import_time.py [--repeats 7]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from time import perf_counter

COMMANDS = {
    "python (nothing imported)": [sys.executable, "-c", ""],
    "import witnessmark": [sys.executable, "-c", "import witnessmark"],
    "from witnessmark import assess": [sys.executable, "-c", "from witnessmark import assess"],
    "witnessmark --help": [sys.executable, "-m", "witnessmark", "--help"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    repeats = parser.parse_args().repeats
    for name, command in COMMANDS.items():
        times = []
        for _ in range(repeats):
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(perf_counter() - start)
        print(f"{name:<32} median {statistics.median(times):.3f} s, worst {max(times):.3f} s")


if __name__ == "__main__":
    main()

"""A program that reads a file with the library and without the collector: `python -m benchmarks.memory_use FILE`."""

import gc
import sys

from urisieve import sieve_files

if __name__ == "__main__":
    gc.disable()
    size = 0
    for found in sieve_files([sys.argv[1]]):
        size += found.end - found.start
    print(size)

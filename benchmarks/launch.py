"""Runs one command and writes what it took to a descriptor: wall time, processor time, peak memory, exit status.

Run as a script, by nothing but `benchmarks.measure`, in a process of its own that imports next to nothing: the system
counts as a command's peak memory at least what the process that started it had.
"""

import os
import sys
import time

if __name__ == "__main__":
    started = time.perf_counter()
    child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    figures = (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
    os.write(int(sys.argv[1]), " ".join(map(str, figures)).encode())

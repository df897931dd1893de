"""Run by tests of Spark as a program of its own: a cluster of two executors on this machine, and what it is to show.

    python -m tests.spark.spark_cluster CASE FOLDER

It prints one line of JSON. The master comes from the environment (SPARK_MASTER), but for `plugged`, which
needs no cluster.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

from tests.spark.spark_session import make_session

SECRET = bytes(32)
MASTER = os.environ.get("SPARK_MASTER", "local-cluster[2,1,1024]")


def session(folder: Path, master: str = MASTER, **settings: str) -> Any:
    return make_session(master, str(folder / "spark"), **settings)


def keys(spark: Any, folder: Path) -> Any:
    from urisieve.spark import extract, with_order

    text = spark.read.text(str(folder / "lines.txt"))
    return with_order(extract(text, "value", columns=["start", "uri", "key"], secret=SECRET))


def same(folder: Path) -> Any:
    """The keys that are found, and the rows that stay: as they are, and with an executor and a worker killed."""
    from urisieve.spark import deduplicate

    spark = session(folder, spark_sql_files_maxPartitionBytes="65536")
    found = keys(spark, folder)
    kept = deduplicate(found).orderBy("order").collect()
    answer = {"keys": [row.key for row in found.orderBy("order").collect()], "kept": [row.key for row in kept]}
    ended: list[str] = []
    done = folder / "done"
    done.mkdir()

    def slowly(batches: Any) -> Any:
        from pyspark import TaskContext

        for batch in batches:
            time.sleep(0.2)
            yield batch
        context = TaskContext.get()
        (done / f"{context.stageId()}-{context.partitionId()}-{context.attemptNumber()}").touch()

    def kill() -> None:
        for enough, name in ((2, "pyspark.daemon"), (5, "CoarseGrainedExecutorBackend")):
            while len(list(done.iterdir())) < enough:
                time.sleep(0.05)
            ended.append(name)
            os.kill(max(ours(name)), signal.SIGKILL)

    thread = Thread(target=kill, daemon=True)
    thread.start()
    kept = deduplicate(found.mapInArrow(slowly, found.schema)).collect()
    thread.join(60)
    killed = [row.key for row in sorted(kept, key=lambda row: row.order)]
    return {**answer, "kept though killed": killed, "killed": ended}


def ours(name: str) -> list[int]:
    """The processes below this one with a name in their command."""
    parents, named = {}, []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            stat = Path(f"/proc/{entry}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            command = Path(f"/proc/{entry}/cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
        except OSError:
            continue
        parents[int(entry)] = int(stat[1])
        if name in command:
            named.append(int(entry))

    def is_ours(process: int) -> bool:
        while process in parents and process != os.getpid():
            process = parents[process]
        return process == os.getpid()

    return [process for process in named if is_ours(process)]


def plugged(folder: Path) -> Any:
    """What Spark says if the driver knows a plug-in that the workers do not."""
    sys.path.insert(0, str(folder / "plugin"))
    spark = session(folder, "local[2]", spark_task_maxFailures="1")
    from urisieve.spark import extract, normalize, register

    said = {}
    register(spark)
    calls: dict[str, Callable[[], Any]] = {
        "extract": lambda: keys(spark, folder).collect(),
        "normalize": lambda: normalize(spark.read.text(str(folder / "lines.txt")), "value").collect(),
        "function": lambda: spark.read.text(str(folder / "lines.txt")).selectExpr("uri_key(value)").collect(),
        "rejected": lambda: extract(spark.read.text(str(folder / "lines.txt")), "value", rejected=True).collect(),
    }
    if hasattr(spark, "dataSource"):
        calls["source"] = lambda: spark.read.format("urisieve").load(str(folder / "lines.txt")).collect()
    for name, call in calls.items():
        try:
            call()
            said[name] = "nothing"
        except Exception as error:
            said[name] = str(error)
    return said


def shipped(folder: Path) -> Any:
    """Where the workers find urisieve that get it by PY_FILES, ARCHIVES or SHARED, and the keys that they find."""
    ways = {"ARCHIVES": "spark_archives", "SHARED": "spark_executorEnv_PYTHONPATH"}
    spark = session(folder, **{setting: os.environ[name] for name, setting in ways.items() if name in os.environ})
    if "PY_FILES" in os.environ:
        spark.sparkContext.addPyFile(os.environ["PY_FILES"])
    found = spark.read.text(str(folder / "lines.txt"))

    def where(batches: Any) -> Any:
        import pyarrow as pa

        import urisieve
        from urisieve.kernel import compiled

        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([f"{urisieve.__file__} {compiled}"])], ["where"])

    from urisieve.spark import extract

    return {
        "where": [row[0] for row in found.limit(1).mapInArrow(where, "where string").collect()],
        "keys": [row.key for row in extract(found, "value", columns=["key"], secret=SECRET).collect()],
    }


if __name__ == "__main__":
    case = {"same": same, "plugged": plugged, "shipped": shipped}[sys.argv[1]]
    answer = json.dumps(case(Path(sys.argv[2])))
    print(f"\n{answer}")

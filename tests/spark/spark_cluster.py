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
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from tests.spark.spark_session import make_session

SECRET = bytes(32)
MASTER = os.environ.get("SPARK_MASTER", "local-cluster[2,1,1024]")


def session(folder: Path, master: str = MASTER, **settings: str) -> Any:
    return make_session(master, str(folder / "spark"), **{"spark_driver_memory": "1g", **settings})


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
    """The keys that workers find which get urisieve by PY_FILES, ARCHIVES, SHARED or ARTIFACT, and if by the kernel."""
    sys.path[:0] = filter(None, [os.environ.get("DRIVER_ALONE")])
    spark = connected(folder) if "ARTIFACT" in os.environ else session(folder, spark_task_maxFailures="1", **shipping())
    if "PY_FILES" in os.environ:
        spark.sparkContext.addPyFile(os.environ["PY_FILES"])
    found = spark.read.text(str(folder / "lines.txt"))

    def kernel(batches: Any) -> Any:
        import pyarrow as pa

        from urisieve.kernel import compiled

        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([compiled])], ["kernel"])

    from urisieve.spark import extract

    return {
        "keys": [row.key for row in extract(found, "value", columns=["key"], secret=SECRET).collect()],
        "kernel": found.limit(1).mapInArrow(kernel, "kernel boolean").collect()[0][0],
    }


def shipping() -> dict[str, str]:
    """The settings by which the environment says how urisieve gets to the workers."""
    ways = {"ARCHIVES": "spark_archives", "SHARED": "spark_executorEnv_PYTHONPATH"}
    return {setting: os.environ[name] for name, setting in ways.items() if name in os.environ}


def connected(folder: Path) -> Any:
    """A session by Spark Connect whose workers get ARTIFACT: a module in a `.zip` or `.whl`, or an archive."""
    path = os.environ["ARTIFACT"]
    spark = session(folder, "", remote=MASTER)
    is_archive = "#" in path
    spark.addArtifacts(path, pyfile=not is_archive, archive=is_archive)
    if is_archive:
        spark.conf.set("spark.sql.execution.pyspark.python", f"{path.partition('#')[2]}/bin/python")
    return spark


def cancelled(folder: Path) -> Any:
    """The workers of cancelled jobs that go on, what the jobs say, and the keys that the next job finds."""
    from urisieve.spark import extract, register

    spark = session(folder, **shipping())
    large = folder / "large.txt"
    with open(large, "w", encoding="utf-8") as file:
        file.writelines(f"http://user:password@host{n}.example/{n}\n" for n in range(3_000_000))
    texts = spark.range(0, 4_000, numPartitions=2).selectExpr("repeat(concat('http://a:b@c.example/', id), 99999) AS t")
    found = extract(texts, "t", columns=["key"]).groupBy().count()
    answer: dict[str, Any] = {"extract": stopped(found.collect, spark.sparkContext.cancelAllJobs)}
    if hasattr(spark, "dataSource"):  # Spark 4
        register(spark)
        source = spark.read.format("urisieve").option("columns", "raw,key").load([str(large)] * 20)
        answer["data source"] = stopped(source.groupBy().count().collect, spark.interruptAll)
    found = extract(spark.read.text(str(folder / "lines.txt")), "value", columns=["key"], secret=SECRET)
    answer["keys"] = [row.key for row in found.collect()]
    spark.stop()
    answer["left"] = left(lambda: ours("pyspark.daemon"))
    return answer


def stopped(job: Callable[[], Any], cancel: Callable[[], Any]) -> dict[str, Any]:
    """Cancel a job when its workers have worked for a second: how many of them are left, and what the job says."""
    before, said = worked(), list[str]()
    thread = Thread(target=ended, args=(job, said), daemon=True)
    thread.start()
    busy: set[int] = set()
    while thread.is_alive() and not busy:
        time.sleep(0.1)
        busy = {process for process, done in worked().items() if done > 1 + before.get(process, 0)}
    cancel()
    thread.join()
    return {"left": left(lambda: worked().keys() & busy), "said": said[0]}


def left(processes: Callable[[], Collection[int]]) -> int:
    """How many of some processes are left after ten minutes, which is far more than any needs on a busy machine."""
    limit = time.monotonic() + 600
    while (still := processes()) and time.monotonic() < limit:
        time.sleep(0.1)
    return len(still)


def ended(job: Callable[[], Any], said: list[str]) -> None:
    """Do a job and take down why it ended."""
    try:
        said.append(f"nothing: {job()}")
    except Exception as error:
        said.append(str(error))


def worked() -> dict[int, float]:
    """The workers of Python, with the seconds that they have worked; not those that plan data sources."""
    found = {}
    for process in {*ours("pyspark.daemon")}.difference(ours("pyspark.sql.worker")):
        with suppress(OSError):
            stat = Path(f"/proc/{process}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            found[process] = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    return found


def large(folder: Path) -> Any:
    """The most memory that a worker of Python takes for twelve rows of 50 MB, by the most rows of a batch, in MB."""
    from urisieve.spark import extract

    spark = session(folder, **shipping())
    answer: dict[str, Any] = {}
    texts = spark.range(0, 12, numPartitions=1).selectExpr("repeat(concat(' http://a.example/', id), 2400000) AS text")
    for rows in ("1", "10000"):
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", rows)
        job = extract(texts, columns=["uri"]).groupBy().count().collect
        most, said = 0, list[str]()
        thread = Thread(target=ended, args=(job, said))
        thread.start()
        while thread.is_alive():
            most = max(most, *map(peak, ours("pyspark.daemon")), 0)
            time.sleep(0.05)
        answer[rows] = {"MB": most // 1_000_000, "said": said[0]}
    return answer


def peak(process: int) -> int:
    """The most bytes of memory that a process had; 0 if it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text("utf-8").splitlines():
            if line.startswith("VmHWM"):
                return 1024 * int(line.split()[1])
    return 0


if __name__ == "__main__":
    cases = {"same": same, "plugged": plugged, "shipped": shipped, "cancelled": cancelled, "large": large}
    answer = json.dumps(cases[sys.argv[1]](Path(sys.argv[2])))
    print(f"\n{answer}")

"""A session of Spark for tests, where PySpark and Java are installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from importlib.util import find_spec
from typing import Any

from tests.helpers.installed import run_with

__all__ = ["JAVA", "MISSING", "end_session", "keys_of_command", "make_session"]

# Why there is no Spark; "" if there is.
MISSING = ""
if any(find_spec(name) is None for name in ("pyspark", "pyarrow", "pandas")):
    MISSING = "PySpark is not installed: pip install 'urisieve[spark]'"
elif shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    MISSING = "Java is not installed: apt-get install openjdk-17-jre-headless"

# For Java: programs that end soon are not worth much of a compiler (a third less time than without).
JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


def make_session(master: str, temporary: str, remote: str = "", **settings: str) -> Any:
    """Return a session, by Spark Connect if `remote` is given; the names of its settings have `_` for a dot."""
    from pyspark.sql import SparkSession

    workers = os.environ.get("WORKERS", sys.executable)  # "" leaves it to Spark
    if workers:
        os.environ["PYSPARK_PYTHON"] = workers
        os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.update(JAVA, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder.master(master)
    fixed = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.local.dir": temporary,
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": f"{temporary}/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in {**fixed, **{name.replace("_", "."): value for name, value in settings.items()}}.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    if not remote:
        session.sparkContext.setLogLevel("OFF")
    return session


def end_session(session: Any) -> None:
    """End a session and its Java process, so that no thread of it is left to the tests that follow in this process."""
    from pyspark import SparkContext

    session.stop()
    gateway = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()  # which Java takes as the end
        gateway.proc.wait(30)
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.name.startswith("execnet"):
            thread.join(10)


def keys_of_command(name: str, *arguments: str, field: str = "key") -> list[str]:
    """The keys of the records that a command writes, or another field; each run masks passwords in its own way."""
    done = run_with("", "-m", "urisieve", name, "--quiet", "--format", "jsonl", *arguments)
    return [json.loads(line)[field] for line in done.stdout.splitlines()]

"""What a value is does not depend on the seed of hashes, which is another one in each process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.helpers.folders import ROOT

# Each line is made of sets; what it prints is compared.
VALUES = r"""
import pickle
import tempfile
from urisieve import Filter, Options, Profile, ReadingOptions, Scheme, UsageError, parse, redact, write_records
from urisieve.dedupe import key_signature
from urisieve.dedupe.checkpoint import command_digest
from urisieve.dedupe.signature import signature
from urisieve.options import Bare, Carrier, MergeStep, PathFilter
from urisieve.sinks import FormatSettings
from urisieve.codes import Warn

names = {"alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"}
hosts = {f"{name}.example" for name in names}
schemes = {f"x-{name}" for name in names}
rows = {Scheme(name=name, title="t", reference="r") for name in schemes}
sets = [
    Options(schemes=schemes),
    Options(schemes=rows),
    Options(exclude_schemes=schemes, known_schemes=schemes),
    Options(rules=rows),
    Options(merge=set(MergeStep) - {MergeStep.DROP_PARAMS, MergeStep.KEEP_PARAMS}),
    Options(merge=Profile(drop_params=names, keep_params={f"{name}@{host}" for name in names for host in hosts})),
    Options(merge=Profile(["strip-www"], keep_params={f"p@{www}{host}" for host in hosts for www in ("", "www.")})),
    Options(bare=set(Bare)),
    Options(protect=hosts),
    *(Profile(**{name: frozenset(names)}) for name in ("drop_params", "keep_params")),
    Profile({"page", "lower-path", "isbn-13"}),
    ReadingOptions(field=names),
    ReadingOptions(unescape=set(Carrier)),
    ReadingOptions(folders=PathFilter(include=names, exclude=hosts)),
    PathFilter(include=names),
    *(Filter(**{name: names}) for name in ("schemes", "hosts", "domains", "carriers")),
    Filter(domains=hosts, warnings=set(Warn), kinds={"uri", "iri", "urn"}, present={"host", "domain", "time"}),
]
for one in sets:
    print(repr(one))
    print(pickle.loads(pickle.dumps(one)) == one)
    if isinstance(one, Options):
        print(signature(one), key_signature(one), command_digest(one))
        print(list(map(str, one.merge.steps)), list(map(str, one.merge.drop_params)))
    elif isinstance(one, Profile):
        print(signature(Options(merge=one)), one == Profile(one.steps, sorted(names) if one.drop_params else (),
              sorted(names) if one.keep_params else ()))
    elif isinstance(one, Filter):
        print(one.counted_as, sorted(one.columns))
print(FormatSettings("csv", fields={"uri", "key", "raw", "host", "line"}).named)
print(FormatSettings("csv", fields={"uri", "key", "raw", "host", "line"}, parts=True).named)
path = tempfile.mkdtemp() + "/o.csv"
write_records([parse("http://a.example/")], path, fields={"uri", "key", "host", "line"}, redact={"query", "path"})
print(open(path).read())
text = "http://u:p@a.example/x?alpha=1&beta=2#f"
print(redact(text, {"query", "fragment", "userinfo"}))
for wrong in (lambda: Options(schemes={"1", "2", "3"}), lambda: Filter(kinds={"x"}), lambda: Options(bare={"x"})):
    try:
        wrong()
    except UsageError as error:
        print(error)
"""


@pytest.mark.once
def test_nothing_depends_on_the_seed_of_hashes() -> None:  # N3
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", VALUES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for seed in ("0", "1", "4711")
    ]
    outputs = []
    for process in processes:
        out, err = process.communicate()
        assert process.returncode == 0, err
        outputs.append(out.splitlines())
    for lines in zip(*outputs, strict=True):
        assert len(set(lines)) == 1

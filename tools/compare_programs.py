"""Ask urisieve and independent programs the same questions, and say why they disagree."""
from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from collections import Counter, defaultdict

from differential.comparison import Comparison, form_of, ours
from differential.generated_identifiers import Identifiers, kept_identifiers
from differential.known_differences import DIFFERENCES
from differential.peers import peers
from urisieve.syntax.grammar import matches
import random

ap = argparse.ArgumentParser()
ap.add_argument("--cases", type=int, default=2000)
ap.add_argument("--seed", type=int, default=1)
ap.add_argument("--only", default="")
ap.add_argument("--peer", default="")
ap.add_argument("--show", type=int, default=6)
a = ap.parse_args()
ps = [p for p in peers() if a.peer in p.name]
c = Comparison(ps, DIFFERENCES)
ids = Identifiers(a.seed)
un = defaultdict(list)
cost = Counter()
def ask(q, *t):
    if a.only and q != a.only: return
    s = time.perf_counter()
    for name, texts, own, theirs in c.ask(q, *t):
        un[name, q].append((texts, own, theirs))
    cost[q] += time.perf_counter() - s
kept = kept_identifiers(Path(__file__).resolve().parent.parent)
for n in range(a.cases):
    text = ids.any_identifier() if n % 5 else kept[n // 5 % len(kept)]
    ask("valid", text)
    if matches("IRI-reference", text):
        ask("split", text)
        ask("to-uri", text)
        if text.isascii(): ask("to-iri", text)
    f = form_of(text)
    if f is not None:
        v = ids.variant(text)
        for o in (f, v):
            if o != text and form_of(o) is not None: ask("same", text, o)
    b, r = ids.generic(), ids.reference()
    ask("resolve", b, r)
    ask("a-label", ids.name()); ask("u-label", ids.a_label()); ask("ipv6", ids.address())
    ask("found", ids.prose([ids.identifier() for _ in range(2)]))
for k, v in sorted(c.asked.items()):
    print(k, "asked", v, "refused", c.refused[k], "disagree", c.disagreeing[k], "unexplained", len(un[k]))
print(c.explained.most_common())
print(cost)
for k, v in un.items():
    print("==", k, len(v))
    v.sort(key=lambda x: len("".join(x[0])))
    for texts, own, theirs in v[:a.show]:
        if isinstance(own, dict) and isinstance(theirs, dict):
            own, theirs = [{n: d[n] for n in theirs if own[n] != theirs[n] and (theirs[n] or own[n])} for d in (own, theirs)]
        print("  ", texts, "| we", own, "| they", theirs)
sys.exit(bool(un))

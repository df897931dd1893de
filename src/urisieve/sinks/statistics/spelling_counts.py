"""Counts of spellings: how many there are, and which rules have made identifiers the same.

A key is known by a digest, so that memory is bounded; nearly all keys come first as they stand, in the spelling that is
the key. Only where a spelling differs from its key more is held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from urisieve.dedupe.keyset import KeySet
from urisieve.judge.steps import RULES, Rule
from urisieve.lean.hints import Final
from urisieve.options import Options
from urisieve.sinks.statistics.merging_rules import READING, merging_rules
from urisieve.sinks.statistics.shown_examples import shown_raw, shown_uri
from urisieve.sinks.statistics.statistics import Merge, MergeExample, Merges

__all__ = ["SpellingCounts"]

# The pairs of spellings that are explained, each of which takes some 0.1 ms, and the first spellings that are held for
# that; and their characters. Further ones are counted, and reported as not explained.
_PAIRS: Final = 65_536
_CHARACTERS: Final = 33_554_432
_EXAMPLES: Final = 3
_READING_MEANING: Final = "the text was read in another way: a reference was resolved, or an escape decoded"
_ORDER: Final = {str(rule): number for number, rule in enumerate((*Rule, READING))}
# The keys that are held as they are before they become digests.
_HELD: Final = 65_536


class _Keys:
    """A set of keys: as they are while they are few, which is quick to look up, then as digests."""

    def __init__(self, limit: int | None, folder: str | None) -> None:
        self._few: dict[str, None] = {}
        self._many = KeySet(memory_limit=limit, folder=folder)
        self._characters = 0

    def __len__(self) -> int:
        return len(self._few) + len(self._many)

    def isdisjoint(self, keys: Collection[str]) -> bool:
        """Report whether none of some keys is in it; False if that is not known."""
        return not len(self._many) and self._few.keys().isdisjoint(keys)

    def __contains__(self, key: str) -> bool:
        return key in self._few or (len(self._many) > 0 and key in self._many)

    def add(self, key: str) -> None:
        """Add a key."""
        if key in self._few:
            return
        if len(self._few) < _HELD and self._characters < _CHARACTERS:
            if key not in self._many:
                self._few[key] = None
                self._characters += len(key)
        else:
            self._many.add(key)

    def close(self) -> None:
        """Remove what is on disk."""
        self._many.close()


class SpellingCounts:
    """Counts spellings and canonical URIs, and explains why spellings are the same.

    Args:
        options: the options by which the identifiers were judged.
        limit: the limit of memory of each set in bytes; None for none.
        folder: the folder for what is beyond it.
    """

    def __init__(self, options: Options, limit: int | None = None, folder: str | None = None) -> None:
        self._options = options

        def keys() -> _Keys:
            return _Keys(limit, folder)

        # Keys that came first in a spelling, or with a URI, that is not the key; those that came as themselves later.
        self._respelled, self._spelled_later = keys(), keys()
        self._apart, self._whole_later = keys(), keys()
        self._raws, self._uris = keys(), keys()  # those that are not their keys
        self._firsts = keys()  # keys with the first spelling, where that is not the key
        self._pairs = keys()  # keys with another spelling
        self._first_raws: dict[str, str] = {}
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}
        self._characters = 0
        self._merged = self._unexplained = 0
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[MergeExample]] = {}

    def take(self, raws: Sequence[str], uris: Sequence[str], keys: Sequence[str], new: Sequence[int]) -> None:
        """Add identifiers; `new` are the indices of those whose key came for the first time."""
        if uris is not keys:
            self._take_uris(uris, keys, new)
        elif not self._apart.isdisjoint(keys):
            self._take_uris(keys, keys, new)
        odd = [index for index, (raw, key) in enumerate(zip(raws, keys, strict=True)) if raw != key]
        if not odd and self._respelled.isdisjoint(keys):
            return
        fresh = frozenset(new)
        respelled = self._respelled
        looked: Sequence[int] = odd
        for index in odd:
            raw, key = raws[index], keys[index]
            self._raws.add(raw)
            if index in fresh:
                respelled.add(key)
                self._firsts.add(f"{key}\n{raw}")
                self._hold_first(key, raw)
        if not respelled.isdisjoint(keys):
            looked = sorted({*odd, *(index for index, key in enumerate(keys) if key in respelled)})
        for index in looked:
            raw, key = raws[index], keys[index]
            if raw == key:
                self._spelled_later.add(key)
            if index not in fresh and not (f"{key}\n{raw}" in self._firsts if raw != key else key not in respelled):
                self._merge(raw, uris[index], key)

    def _take_uris(self, uris: Sequence[str], keys: Sequence[str], new: Sequence[int]) -> None:
        apart = [index for index, (uri, key) in enumerate(zip(uris, keys, strict=True)) if uri != key]
        if apart:
            fresh = frozenset(new)
            for index in apart:
                self._uris.add(uris[index])
                if index in fresh:
                    self._apart.add(keys[index])
        if not self._apart.isdisjoint(keys):
            for uri, key in zip(uris, keys, strict=True):
                if uri == key and key in self._apart:
                    self._whole_later.add(key)

    def _hold_first(self, key: str, raw: str) -> None:
        if len(self._first_raws) < _PAIRS and self._characters < _CHARACTERS:
            self._first_raws[key] = raw
            self._characters += len(key) + len(raw)

    def _merge(self, raw: str, uri: str, key: str) -> None:
        """Count an identifier whose key came first in another spelling."""
        self._merged += 1
        pair = key, raw
        rules = self._known.get(pair)
        if rules is None:
            self._pairs.add(f"{key}\n{raw}")
            first = self._first_raws.get(key)
            if first is None and key in self._respelled:
                self._unexplained += 1  # its first spelling is not held
                return
            if len(self._known) >= _PAIRS or self._characters >= _CHARACTERS:
                self._unexplained += 1
                return
            first = key if first is None else first
            rules = self._known[pair] = merging_rules(first, raw, uri, key, self._options)
            self._characters += len(key) + len(raw)
            for rule in rules:
                examples = self._examples.setdefault(rule, [])
                if len(examples) < _EXAMPLES:
                    examples.append(MergeExample(shown_raw(raw, uri), shown_raw(first, uri), shown_uri(uri)))
        self._counts.update(rules)

    def merges(self) -> Merges:
        """Return which rules have made identifiers the same."""
        rules = sorted(self._counts.items(), key=lambda item: (-item[1], _ORDER[item[0]]))
        return Merges(
            merged=self._merged,
            pairs=len(self._pairs),
            rules=tuple(
                Merge(rule, _meaning(rule), count, tuple(self._examples.get(rule, ()))) for rule, count in rules
            ),
            unexplained=self._unexplained,
        )

    def spellings(self, distinct: int) -> int:
        """Return the number of different raw texts, given the number of different keys."""
        return distinct - len(self._respelled) + len(self._spelled_later) + len(self._raws)

    def canonical(self, distinct: int) -> int:
        """Return the number of different canonical URIs, given the number of different keys."""
        return distinct - len(self._apart) + len(self._whole_later) + len(self._uris)

    def close(self) -> None:
        """Remove what is on disk; the counts must not be used afterwards."""
        for keys in (self._respelled, self._spelled_later, self._apart, self._whole_later):
            keys.close()
        for keys in (self._raws, self._uris, self._firsts, self._pairs):
            keys.close()


def _meaning(rule: str) -> str:
    return _READING_MEANING if rule == READING else RULES[Rule(rule)].meaning

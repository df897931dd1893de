"""Counts of spellings: how many there are, and which rules have made identifiers the same.

A key is known by a digest, so that memory is bounded; nearly all keys come first as they are, in the spelling that is
the key. Only where a spelling differs from its key more is held.

Also defines:

- the first spelling of each key that did not come as it is: in memory, and on disk beyond a limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress
from operator import ne

from urisieve.dedupe.keyset import LEAST_LIMIT, KeySet
from urisieve.finding_options import Options
from urisieve.judge.merge_steps import MERGE_ROWS
from urisieve.judge.steps import RULES, Rule, Step, canonical_steps, key_step
from urisieve.judge.steps import merging_rules as rules_between
from urisieve.lean import TYPE_CHECKING, Final
from urisieve.merging import MergeStep
from urisieve.records.mask import Mask
from urisieve.sinks.statistics.name_counts import NameCounts, read_text, stored_text
from urisieve.sinks.statistics.statistics import Merge, MergeExample, Merges
from urisieve.syntax.components import SPACES, split
from urisieve.wording import shortened

if TYPE_CHECKING:
    from urisieve.dedupe.keyset import Spill

# The most spellings in memory, and their characters with those of their keys.
_MOST: Final = 131_072
_FIRST_CHARACTERS: Final = 16_777_216
# Bytes of the pages of the file on disk that are kept in memory.
_CACHE: Final = 16_777_216
_TABLE: Final = "CREATE TABLE spellings (key BLOB PRIMARY KEY, raw BLOB) WITHOUT ROWID"


class FirstSpellings:
    """The first spellings of keys: in memory, and on disk beyond a limit.

    Args:
        folder: the folder of the file beyond the limit; that of `tempfile` for None.
        most: how many spellings are held in memory.
        hides: reports whether a spelling contains what must not be written, as a password; it is not kept on disk.
    """

    def __init__(
        self, folder: str | None = None, most: int = _MOST, *, hides: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._folder = folder
        self._characters = 0
        self._disk: Spill | None = None
        self._hides = hides
        self._most = most
        self._held: dict[str, str] = {}

    def add(self, key: str, raw: str) -> None:
        """Add the first spelling of a key, once.

        Raises:
            OutputError: the file beyond the limit cannot be written.
        """
        self._held[key] = raw
        self._characters += len(key) + len(raw)
        if len(self._held) > self._most or self._characters > _FIRST_CHARACTERS:
            self._spill()

    def get(self, key: str) -> str | None:
        """Return the first spelling of a key: the key itself if none was added, None if it was not kept."""
        raw = self._held.get(key)
        if raw is None and self._disk is not None:
            row = self._disk.read("SELECT raw FROM spellings WHERE key = ?", (_digest(key),)).fetchone()
            raw = None if row is None else read_text(row[0])
            if raw == "":
                return None
        return key if raw is None else raw

    def _spill(self) -> None:
        """Move the spellings to disk."""
        rows = ((_digest(key), b"" if self._hides(raw) else stored_text(raw)) for key, raw in self._held.items())
        from urisieve.dedupe.keyset import Spill

        if self._disk is None:
            self._disk = Spill(self._folder, _TABLE, _CACHE)
        self._disk.write("INSERT INTO spellings VALUES (?, ?)", sorted(rows))
        self._held.clear()
        self._characters = 0

    def close(self) -> None:
        """Remove the file; the spellings must not be used afterwards."""
        if self._disk is not None:
            self._disk.close()
            self._disk = None


def _digest(key: str) -> bytes:
    from hashlib import blake2b

    return blake2b(stored_text(key), digest_size=16).digest()


# Names what no rule of the ladder states: how the text was read before it was judged.
READING: Final = "reading"
_NO_SPACES: Final = dict.fromkeys(map(ord, SPACES))


def merging_rules(first: str, raw: str, uri: str, key: str, options: Options) -> tuple[str, ...]:
    """Return the codes of the rules that have made two spellings the same, in the order in which they apply.

    >>> from urisieve import Options
    >>> merging_rules("HTTP://a.example", "HTTP://a.example:80/", "http://a.example/", "http://a.example/", Options())
    ('default-port', 'empty-path')

    Args:
        first: a spelling.
        raw: another spelling with the same key.
        uri: the canonical URI of `raw`.
        key: the key of both.
        options: the options by which they were judged.
    """
    one, other = _steps_from(first, key, key, options), _steps_from(raw, uri, key, options)
    return (READING,) if one is None or other is None else rules_between(one, other) or (READING,)


def _steps_from(raw: str, uri: str, key: str, options: Options) -> tuple[Step, ...] | None:
    return () if raw == key else _steps(raw, uri, key, options)


def _steps(raw: str, uri: str, key: str, options: Options) -> tuple[Step, ...] | None:
    """Return the steps from a spelling to its key; None if it was not read as it is."""
    steps = _canonical(raw, options)
    if steps is None and (joined := raw.translate(_NO_SPACES)) != raw:
        from urisieve.judge.steps import reading_steps

        rest = _canonical(joined, options)
        if rest is not None:
            steps = (*reading_steps(raw, [(Rule.WHITE_SPACE, joined)]), *rest)
    if steps is None or not _leads(steps, raw, uri, key, options):
        from urisieve.explanation import explain

        remedied = explain(raw, options=options).remedied
        steps = None if remedied is None else remedied.steps
    if steps is None or not _leads(steps, raw, uri, key, options):
        return None
    form = steps[-1].after if steps else raw
    last = key_step(form.partition(":")[0], form, key, options)
    return steps if last is None else (*steps, last)


def _leads(steps: tuple[Step, ...], raw: str, uri: str, key: str, options: Options) -> bool:
    """Report whether steps lead to a URI, or if only the key is known to a URI that has it."""
    form = steps[-1].after if steps else raw
    if form == uri:
        return True
    from urisieve.identifiers import check
    from urisieve.records.record import Record

    found = check(form, options=options) if uri == key else None
    return isinstance(found, Record) and found.key == key


def _canonical(text: str, options: Options) -> tuple[Step, ...] | None:
    try:
        return canonical_steps(text, options)
    except ValueError:
        return None


# The pairs of spellings that are explained, each of which takes some 0.1 ms, and their characters. Further ones are
# counted, and reported as not explained.
_PAIRS: Final = 65_536
_CHARACTERS: Final = 33_554_432
_EXAMPLES: Final = 3
# The most characters of one: a report has a hundred of them.
_EXAMPLE_LENGTH: Final = 200
_READING_MEANING: Final = "the text was read in another way: a reference was resolved, or an escape decoded"
_STEPS: Final = frozenset(map(str, MergeStep))
_ORDER: Final = {str(rule): number for number, rule in enumerate((*Rule, *MergeStep, READING))}
# The sets beside that of all keys: of the limit of memory each takes a part of so many.
_SETS: Final = 8


def example(text: str) -> str:
    """Return an example as it is shown: of bounded length."""
    return shortened(text, _EXAMPLE_LENGTH)


class _Forms:
    """Forms of identifiers of one kind, raw texts or URIs, nearly all of which are their keys: how many differ.

    Args:
        made: makes a set of keys.

    Attributes:
        others: the forms that are not their keys.
        odd_first: the keys that came first with such a form.
        plain_later: those of them that came as a form later.
    """

    def __init__(self, made: Callable[[], KeySet]) -> None:
        self.others, self.odd_first, self.plain_later = made(), made(), made()

    def add(
        self, forms: Sequence[str], keys: Sequence[str], new: Sequence[int]
    ) -> tuple[list[int], list[int], list[int], list[int]]:
        """Add forms.

        Args:
            forms: the forms.
            keys: their keys.
            new: the indices of those whose key is new.

        Returns:
            the indices of forms that are not their keys; of those that are, but whose key came first with another form;
            and of those of either kind that came for the first time.
        """
        odd = list(compress(range(len(keys)), map(ne, forms, keys)))
        added: list[int] = []
        if odd:
            added = [odd[number] for number in self.others.unseen_indices([forms[index] for index in odd])]
            self.odd_first.unseen_indices([keys[index] for index in frozenset(new).intersection(odd)])
        if not len(self.odd_first) or len(new) == len(keys):
            return odd, [], added, []
        rest = sorted(frozenset(range(len(keys))).difference(new, odd))
        later = [rest[number] for number in self.odd_first.held_indices([keys[index] for index in rest])]
        fresh: list[int] = []
        if later:
            fresh = [later[number] for number in self.plain_later.unseen_indices([keys[index] for index in later])]
        return odd, later, added, fresh

    def number(self, distinct: int) -> int:
        """Return the number of different forms, given the number of different keys."""
        return distinct - len(self.odd_first) + len(self.plain_later) + len(self.others)

    def close(self) -> None:
        """Remove what is on disk."""
        for keys in (self.others, self.odd_first, self.plain_later):
            keys.close()


class SpellingCounts:
    """Counts spellings and canonical URIs, and explains why spellings are the same.

    Args:
        options: the options by which the identifiers were judged.
        mask: how examples leave.
        limit: the limit of memory in bytes; None for none.
        folder: the folder for what is beyond it.
    """

    def __init__(
        self,
        options: Options,
        mask: Mask,
        limit: int | None = None,
        folder: str | None = None,
    ) -> None:
        self._mask = mask
        self._options = options
        self.of_hosts = NameCounts(folder)
        """For each host how many more spellings than keys its identifiers have; counted if `counts_hosts` is set."""
        self.counts_hosts = False
        most = None if limit is None else max(LEAST_LIMIT, limit // _SETS)

        def keys() -> KeySet:
            return KeySet(memory_limit=most, folder=folder)

        self._raws, self._uris = _Forms(keys), _Forms(keys)
        self._both = 0  # URIs that are the key of one identifier and not that of another
        self._firsts = keys()  # keys with the first spelling, where that is not the key
        self._pairs = keys()  # keys with another spelling
        self._first_raws = FirstSpellings(folder, hides=mask.hides)
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}
        self._characters = 0
        self._merged = self._unexplained = 0
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[MergeExample]] = {}

    @property
    def odd_keys(self) -> tuple[KeySet, ...]:
        """Sets with the keys that came in another form: identifiers that are such a key alone must be taken, too."""
        return self._raws.odd_first, self._uris.odd_first, self._uris.others

    def take(
        self, raws: Sequence[str], uris: Sequence[str], keys: Sequence[str], new: Sequence[int], known: KeySet
    ) -> None:
        """Add identifiers; those that are their key alone, in ASCII, may be missing, unless it is in `odd_keys`.

        Args:
            raws: their raw texts.
            uris: their canonical URIs.
            keys: their keys.
            new: the indices of those whose key came for the first time.
            known: all keys, these included.
        """
        if uris is not keys or len(self._uris.odd_first):
            self._add_uris(uris, keys, new, known)
        odd, later, *added = self._raws.add(raws, keys, new)
        fresh = frozenset(new) if odd else frozenset()
        first = [index for index in odd if index in fresh]
        if self.counts_hosts and (odd or later):
            more = Counter([split(uris[index]).host for some in added for index in some])
            more.subtract([split(uris[index]).host for index in first])
            self.of_hosts.add(more, {})
        if first:
            self._firsts.unseen_indices([_pair(keys[index], raws[index]) for index in first])
            for index in first:
                self._first_raws.add(keys[index], raws[index])
        rest = [index for index in odd if index not in fresh]
        if rest:
            same = frozenset(self._firsts.held_indices([_pair(keys[index], raws[index]) for index in rest]))
            later = sorted((*later, *(index for number, index in enumerate(rest) if number not in same)))
        for index in later:
            self._merge(raws[index], uris[index], keys[index])

    def _add_uris(self, uris: Sequence[str], keys: Sequence[str], new: Sequence[int], known: KeySet) -> None:
        """Add canonical URIs.

        At level `none` the URI of one key may be another key, which counts once only.
        """
        forms = self._uris
        before = len(forms.others)
        apart, _, added, later = forms.add(uris, keys, new)
        added_uris = [uris[index] for index in added]
        held = [added_uris[index] for index in known.held_indices(added_uris)]
        others = frozenset(forms.odd_first.held_indices(held)).difference(forms.plain_later.held_indices(held))
        self._both += len(held) - len(others)
        if before:
            whole = [keys[index] for index in (*frozenset(new).difference(apart), *later)]
            counted = frozenset(added_uris)
            self._both += sum(whole[index] not in counted for index in forms.others.held_indices(whole))

    def _merge(self, raw: str, uri: str, key: str) -> None:
        """Count an identifier whose key came first in another spelling."""
        self._merged += 1
        pair = key, raw
        rules = self._known.get(pair)
        if rules is None:
            self._pairs.add(_pair(key, raw))
            if len(self._known) >= _PAIRS or self._characters >= _CHARACTERS:
                self._unexplained += 1
                return
            first = self._first_raws.get(key)
            if first is None:
                self._unexplained += 1
                return
            rules = self._known[pair] = merging_rules(first, raw, uri, key, self._options)
            self._characters += len(key) + len(raw)
            mask = self._mask
            for rule in rules:
                examples = self._examples.setdefault(rule, [])
                if len(examples) < _EXAMPLES:
                    shown = mask.raw(raw, uri), mask.raw(first, uri), mask.uri(uri)
                    examples.append(MergeExample(*map(example, shown)))
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
        return self._raws.number(distinct)

    def canonical(self, distinct: int) -> int:
        """Return the number of different canonical URIs, given the number of different keys."""
        return self._uris.number(distinct) - self._both

    def close(self) -> None:
        """Remove what is on disk; the counts must not be used afterwards."""
        for held in (self._raws, self._uris, self._firsts, self._pairs, self._first_raws, self.of_hosts):
            held.close()


def _pair(key: str, raw: str) -> str:
    return f"{key}\n{raw}"


def _meaning(rule: str) -> str:
    if rule == READING:
        return _READING_MEANING
    return MERGE_ROWS[MergeStep(rule)].meaning if rule in _STEPS else RULES[Rule(rule)].meaning

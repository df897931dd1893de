"""The examples that `--help` of each command shows."""

from __future__ import annotations

from urisieve.lean.hints import Final

__all__ = ["EXAMPLES"]

# By command: a line that can be typed (the tests run each), and its purpose.
EXAMPLES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "extract": (
        ("urisieve extract mail.mbox", "the links of a mailbox, one a line"),
        ("urisieve extract --unique access.log.gz", "each link of a compressed log once"),
        ("urisieve extract --include '*.log*' logs", "the logs of a folder, compressed or in archives"),
        ("urisieve extract --input jsonl --field message app.jsonl", "one field of JSON lines"),
        ("urisieve extract --format jsonl --output links.jsonl *.txt", "whole records, with their offsets"),
        ("urisieve extract --rejected bad.jsonl page.txt", "what looks like a link and is none, to a file"),
        ("urisieve extract --fail-on password-present *.txt", "exit status 3 if a link holds a password, for hooks"),
        ("urisieve extract --bare doi,isbn --parts --format jsonl paper.txt", "what libraries write without a scheme"),
        ("urisieve extract --schemes urn,doi --urn rfc8141 paper.txt", "URNs and DOIs only"),
    ),
    "count": (
        ("urisieve count --sort count *.txt", "how often, in how many sources, where, in how many spellings"),
        ("urisieve count --min-count 2 --spellings 3 mail.mbox", "what comes twice or more, as it stands there"),
        ("urisieve count --format jsonl access.log", "for programs"),
    ),
    "stats": (
        ("urisieve stats mail.mbox", "what a mailbox holds, with bars"),
        ("urisieve stats --top 3 --format json logs", "for programs"),
        ("urisieve extract --format jsonl mail.mbox | urisieve stats --input records", "of records of `extract`"),
    ),
    "normalize": (
        ("urisieve normalize 'HTTP://Example.COM:80/a/../b'", "http://example.com/b"),
        ("urisieve normalize --form key < urls.txt | sort -u", "each identifier once"),
        ("urisieve normalize --lossy drop-fragment,drop-tracking < urls.txt", "merge more than the RFCs do"),
        ("urisieve normalize --invalid blank < urls.txt | paste urls.txt -", "before and after, side by side"),
    ),
    "check": (
        ("urisieve check 'http://example.com/100%zz'", "says where it fails, and by which section"),
        ("urisieve check --input csv --field isbn --bare isbn books.csv", "the numbers in a column of a table"),
        ("urisieve check --format jsonl < urls.txt", "a record or a rejection for each line"),
        ("urisieve check --bare isbn,issn 0-395-36341-2 0317-8471", "check digits of numbers without a scheme"),
        ("urisieve check --urn rfc8141 'urn:example:a?=b#c'", "by the newer syntax of URNs"),
    ),
    "explain": (
        ("urisieve explain 'HTTP://Example.COM:80/%7ea/../b'", "its components, and each rule that changes it"),
        ("urisieve explain urn:isbn:0-395-36341-2 doi:10.1000/182", "named parts, and the right check digit"),
        ("urisieve explain --format json < urls.txt", "the same as JSON, a line for each text"),
    ),
    "report": (
        ("urisieve report mail.mbox -o report.html", "a page with charts and tables, for a browser"),
        ("urisieve report --title 'Mails of May' --links *.txt -o report.html", "identifiers as links, not defanged"),
        ("urisieve extract -f jsonl *.txt | urisieve report --input records -o page.html", "of records"),
    ),
    "schemes": (
        ("urisieve schemes 'http*' doi", "the schemes whose names match"),
        ("urisieve schemes --examples tel", "what is the same and what is not, with examples"),
        ("urisieve schemes --format csv", "the whole table; --examples adds two columns"),
    ),
    "namespaces": (
        ("urisieve namespaces --examples example", "what is the same and what is not"),
        ("urisieve namespaces --examples --format json '*'", "the whole table, a line for each"),
    ),
    "dedupe": (
        ("urisieve dedupe mail.mbox access.log", "each identifier once, in order of first appearance"),
        ("urisieve dedupe --store seen.db mail.mbox", "only what no earlier run has printed"),
        ("urisieve dedupe --input jsonl --field url rows.jsonl -o clean.jsonl", "rows of a data set, as they stand"),
        ("urisieve normalize --form key < urls.txt | urisieve dedupe --input keys", "keys from a pipe"),
    ),
    "completion": (
        ('eval "$(urisieve completion bash)"', "for bash, in ~/.bashrc"),
        ("urisieve completion zsh > _urisieve", "for zsh, in a folder of $fpath"),
        ("urisieve completion fish > urisieve.fish", "for fish, in ~/.config/fish/completions"),
    ),
    "store": (
        ("urisieve store info seen.db", "how many keys, since when, by which rules"),
        ("urisieve store verify seen.db", "read all of it and say what is wrong"),
        ("urisieve store export seen.db > seen.jsonl", "its digests as JSON lines"),
        ("urisieve store merge seen.db other.db", "add the keys of another store"),
        ("urisieve store forget seen.db http://example.com/", "let an identifier be new again"),
    ),
}

"""What a password is: one rule for the judge, for masking, for Arrow and SQL; and candidates that end in one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import urisieve
from tests.helpers.cli_support import call
from tests.helpers.doubling import assert_linear
from urisieve import Options, Record, Rejection, Scanner, sieve
from urisieve.codes import Warn
from urisieve.options import NestedFinding, Repair, Unwrap
from urisieve.records.masking import masked_name, masked_text, masked_with_offset, password_token
from urisieve.streams import find_key
from urisieve.syntax.passwords import is_placeholder, own_passwords, passwords

SECRET = b"s" * 32
ALL = Options(
    refang="known-forms", schemeless="names", email="addresses", nested="report", repair="encode", unwrap="any"
)

# A valid identifier, what is written of it, and whether a password is its own, so that it has a warning.
RULE = [
    ("http://u:pw@h.example/", "http://u:***@h.example/", True),
    ("sip:u:pw@h.example", "sip:u:***@h.example", True),
    ("view-source:http://u:pw@h.example/", "view-source:http://u:***@h.example/", True),
    ("https://r.example/?u=http://u:pw@h.example/", "https://r.example/?u=http://u:***@h.example/", False),
    ("http://http//u:pw@h.example/", "http://http//u:***@h.example/", False),  # `http://http://u:...` in its form
    # G2: user information is only what stands in the authority.
    ("https://reg.example//repo:tag@sha256:00ff", "", False),
    ("https://localhost//repo:tag@sha256:00ff", "", False),
    ("http://a.example/x//a:b@c", "", False),
    ("http://a.example//u:p@h/", "", False),
    ("http://a.example/?x=a//b:c@d", "", False),
    ("http://a.example/?m=a:b@c.example", "", False),
    ("http://a.example:80/x@y", "http://a.example/x@y", False),
    # I3: links without a scheme as values of parameters.
    ("http://r.example/?a=//u:pw@h.example/", "http://r.example/?a=//u:***@h.example/", False),
    ("http://r.example/?b=1&a=%2F%2Fu:pw@h.example/", "http://r.example/?b=1&a=%2F%2Fu:***@h.example/", False),
    ("http://r.example/?a=%2F%2Fu%3Apw%40h.example/", "http://r.example/?a=%2F%2Fu%3A***%40h.example/", False),
    ("http://r.example/?a=%252F%252Fu%253Apw%2540h", "http://r.example/?a=%252F%252Fu%253A***%2540h", False),
    ("http://r.example/?//u:pw@h", "http://r.example/?//u:***@h", False),
    ("http://r.example/x#a=//u:pw@h", "http://r.example/x#a=//u:***@h", False),
    ("http://r.example/?a=//h.example/b:c@d", "", False),
    ("http://r.example/?a=/u:pw@h", "", False),
    # G1: the known places in connections to databases.
    ("jdbc:sqlserver://h;user=u;password=pw", "jdbc:sqlserver://h;user=u;password=***", True),
    ("jdbc:sqlserver://h;password=p;w&x;user=u", "jdbc:sqlserver://h;password=***;user=u", True),
    ("jdbc:mysql://h/db?user=u&password=pw", "jdbc:mysql://h/db?user=u&password=***", True),
    ("jdbc:mysql://h/db?user=u&password=pw&a=b", "jdbc:mysql://h/db?user=u&password=***&a=b", True),
    ("jdbc:mysql://address=(host=h)(password=pw)/d", "jdbc:mysql://address=(host=h)(password=***)/d", True),
    ("jdbc:mysql://u:p/w@h/db", "jdbc:mysql://u:***@h/db", True),
    ("jdbc://[::1]/a;b=c,d@e:f", "", False),  # an address is no user
    ("jdbc:mysql:replication://h:33,i:33/d?a=b@c", "", False),
    ("jdbc:oracle:thin:u/pw@h:1521:x", "jdbc:oracle:thin:u/***@h:1521:x", True),
    ("jdbc:oracle:thin:u/pw@//h:1521/x", "jdbc:oracle:thin:u/***@//h:1521/x", True),
    ("jdbc:oracle:thin:u/pw", "jdbc:oracle:thin:u/***", True),
    ("jdbc:oracle:thin:@//h:1521/x", "", False),
    ("jdbc:h2:mem:x;USER=u;PASSWORD=pw", "jdbc:h2:mem:x;USER=u;PASSWORD=***", True),
    ("jdbc:postgresql://h/d?sslpassword=pw", "jdbc:postgresql://h/d?sslpassword=***", True),
    ("postgres://h/db?password=pw", "postgres://h/db?password=***", True),
    ("postgresql+psycopg2://h/db?password=pw", "postgresql+psycopg2://h/db?password=***", True),
    ("redis://h?password=pw", "redis://h?password=***", True),
    ("sb://h.example/;SharedAccessKeyName=n;SharedAccessKey=k", "sb://h.example/;SharedAccessKeyName=n;SharedAccessKey=***",
     True),
    ("mssql+pyodbc:///?odbc_connect=DRIVER%3DFreeTDS%3BUID%3Dsa%3BPWD%3Dpw%3BPort%3D1",
     "mssql+pyodbc:///?odbc_connect=DRIVER%3DFreeTDS%3BUID%3Dsa%3BPWD%3D***%3BPort%3D1", True),
    ("mssql+pyodbc:///?odbc_connect=DRIVER=x;UID=sa;PWD=pw;Port=1",
     "mssql+pyodbc:///?odbc_connect=DRIVER=x;UID=sa;PWD=***;Port=1", True),
    ("mssql+pyodbc:///?odbc_connect=UID%3Dsa%3B+PWD%3Dpw", "mssql+pyodbc:///?odbc_connect=UID%3Dsa%3B+PWD%3D***", True),
    ("pgsql://h/db?password=pw", "pgsql://h/db?password=***", True),
    ("tds://h/db?password=pw", "tds://h/db?password=***", True),
    ("libsql://h.example?authToken=pw", "libsql://h.example?authToken=***", True),
    ("tcp://h:9000?username=u&password=pw", "tcp://h:9000?username=u&password=***", True),
    ("redis://h/0?auth=pw", "redis://h/0?auth=***", True),
    ("jdbc:hive2://h/d;auth=noSasl", "", False),
    ("jdbc:mysql://h/db?user=u&bypass=1&key=2", "", False),
    ("http://h.example/db?password=pw", "", False),
    ("https://h.example/;pwd=pw", "", False),
    # G3: placeholders.
    ("https://u:***@h.example/", "", False),
    ("https://u:%2A%2A@h.example/", "", False),
    ("https://u:$PASS@h.example/", "", False),
    ("https://u:$%7BDB_PW%7D@h.example/", "", False),
    ("https://u:%3Cpassword%3E@h.example/", "", False),
    ("https://u:password@h.example/", "https://u:***@h.example/", True),
    ("https://u:@h.example/", "https://u:***@h.example/", True),
    ("https://r.example/?u=http%3A%2F%2Fu%3A%253Cpassword%253E%40h", "", False),
    ("jdbc:mysql://h/db?password=$PGPASSWORD", "", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown", "is_own"), RULE, ids=[row[0] for row in RULE])
def test_what_a_password_is(text: str, shown: str, is_own: bool) -> None:
    record = urisieve.parse(text)
    assert str(record) == masked_text(record.uri) == (shown or text)
    assert (Warn.PASSWORD_PRESENT in record.warnings) is is_own is bool(own_passwords(text))
    token = password_token(SECRET)
    found = passwords(record.key)
    key = find_key(text, secret=SECRET)
    assert key == record.masked(token).key
    assert (key == record.key) is (not found)
    assert all(token(record.key[start:end]) in key for start, end in found)
    assert call("normalize", text).lines == [shown or text]


@pytest.mark.parametrize(
    "text", ["pgsql:host=h;user=u;password=", "sqlsrv:Server=h;PWD=", "dbi:mysql:host=h;password="]
)
def test_connections_that_are_not_found_in_text(text: str) -> None:
    assert str(urisieve.parse(f"{text}pw")) == f"{text}***"
    assert call("normalize", f"{text}pw").lines == [f"{text}***"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("postgresql://h/db?password=Ka&Rb", "postgresql://h/db?password=***"),
        ("postgresql://h/db?password=Ka&a=b", "postgresql://h/db?a=b&password=***"),
        ("http://h.example/?c=d&a", "http://h.example/?a&c=d"),
    ],
)
def test_a_sorted_query_shows_no_piece_of_a_password(text: str, key: str) -> None:
    record = urisieve.parse(text, options=Options(merge=["sort-query"]))
    assert record.masked(lambda _: "***").key == key


@pytest.mark.parametrize("engine", ["sqlite", "duckdb", "arrow"])
def test_every_engine_has_the_same_keys(engine: str) -> None:
    texts = [text for text, _, _ in RULE]
    expected = [find_key(text, secret=SECRET) for text in texts]
    shown = [row[1] or row[0] for row in RULE]
    if engine == "sqlite":
        from urisieve.sqlite import register

        connection = sqlite3.connect(":memory:")
        register(connection, secret=SECRET)
        for name, values in (("uri_key", expected), ("uri_find_key", expected), ("uri_canonical", shown)):
            assert [connection.execute(f"select {name}(?)", (text,)).fetchone()[0] for text in texts] == values
        return
    pa = pytest.importorskip("pyarrow")
    if engine == "arrow":
        from urisieve.arrow import key_array, normalize_array

        assert key_array(pa.array(texts), secret=SECRET).to_pylist() == expected
        assert normalize_array(pa.array(texts)).to_pylist() == shown
        return
    duckdb = pytest.importorskip("duckdb")
    from urisieve.duckdb import register as register_duckdb

    database = duckdb.connect()
    register_duckdb(database, secret=SECRET)
    database.register("links", pa.table({"text": texts}))
    rows = database.execute("select uri_key(text), uri_find_key(text), uri_canonical(text) from links").fetchall()
    assert rows == list(zip(expected, expected, shown, strict=True))


# G3: what is a placeholder, and what people may have chosen.
PLACEHOLDERS = [
    *(
        "**",
        "*****",
        "%2A%2A",
        "%252A%252A",
        "xxxx",
        "XXXXX",
        "$PASS",
        "$PGPASSWORD",
        "$DB2_PWD",
        "${PASS}",
        "${db.pw}",
    ),
    *(
        "<password>",
        "%3Cpassword%3E",
        "<your-password>",
        "<API_TOKEN>",
        "{password}",
        "%7Bpassword%7D",
        "{{ db.secret }}",
    ),
]
CHOSEN = [
    *("", "*", "x", "xxx", "xxxX", "password", "$ecret", "$pass", "$PASS1", "$HOME", "<abc>", "{abc}", "secret"),
    *("${PASS:-hunter2}", "<password", "<password>1", "a***", "hunter2", "$" + "A" * 200 + "PASS", "%"),
]


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_a_placeholder_is_no_password(text: str) -> None:
    assert is_placeholder(text)
    assert masked_text(f"http://u:{text}@h/") == f"http://u:{text}@h/"


@pytest.mark.parametrize("text", CHOSEN)
def test_what_may_be_chosen_is_a_password(text: str) -> None:
    assert not is_placeholder(text)
    assert masked_text(f"http://u:{text}@h/") == "http://u:***@h/"


# What is said about a text: URIs, and what is written of rejections behind "!".
CUT = [
    # I2: another link, or a password in a rejection.
    ("http://admin:2024|x@h.example/", ["!http://admin:***@h.example/"]),
    ("http://admin:2024!|x@h.example/ z", ["!http://admin:***@h.example/"]),
    ("https://u:|x@h.example/", ["!https://u:***@h.example/"]),
    ("https://u:<password>@h.example/", ["!https://u:<password>@h.example/"]),
    ("http://u:2024\ufeffx@h.example/", ["!http://u:***@h.example/"]),
    ("http://u:2024\u200bx@h.example/", ["!http://u:***@h.example/"]),
    ("http://-u:SE|C@h.example/", ["!http://-u:***@h.example/"]),
    ("http://u:a)b@h.example/ z", ["!http://u:***@h.example/"]),
    ("http://u:SE/C|RET@h.example/", ["!http://u:***@h.example/"]),
    ("postgres://app:Sup3r^x@db.example/x", ["!postgres://app:***@db.example/x"]),
    ('x "http://u:a"b@h.example/" y', ["!http://u:***@h.example/"]),
    ('"http://u:a""b@h.example/",x', ["!http://u:***@h.example/"]),
    ('"jdbc:mysql://u:a""b@h/",x', ["!jdbc:mysql://u:***@h/"]),
    ('"http://u:a","b@h.example"', ["!http://u:a"]),
    ("http://u:a b@h.example/ z", ["!http://u:***@h.example/"]),
    ("jdbc:mysql://u:a b@h/db", ["!jdbc:mysql://u:***@h/db"]),
    ("http://r.example/?u=http://u:a|b@h.example/", ["!http://r.example/?u=http://u:***@h.example/"]),
    ("http://r.example/?u=//u:a|b@h.example/", ["!http://r.example/?u=//u:***@h.example/"]),
    ("jdbc:oracle:thin:u/a|b@h:1521:x", ["!jdbc:oracle:thin:u/***@h:1521:x"]),
    # An at-sign in it, too: what stands behind that is not the name of a host.
    ("postgres://app:P@ss^w0rd@db.example/x", ["!postgres://app:***@db.example/x"]),
    ("http://u:2024@ss|w0rd@h.example/", ["!http://u:***@h.example/"]),
    ("http://joe:KaX@SeQ)WyW@h.example/", ["!http://joe:***@h.example/"]),
    ("jdbc:oracle:thin:u/a@b)c@h:1521:x", ["!jdbc:oracle:thin:u/***@h:1521:x"]),
    ("sip:joe:KaX@SeQ|WyW@h.example", ["!sip:joe:***@h.example"]),
    ("sip:joe@h.example|x@y", ["sip:joe@h.example"]),
    # What follows half of a password of SIP is no address.
    ('sip:app:half"rest@db.example', []),
    ("sip:app:half<rest@db.example", []),
    ("sip:app:half rest@db.example", []),
    ("http://r.example/?a=//u:S@EC|RET@h.example/", ["!http://r.example/?a=//u:***@h.example/"]),
    ("http://r.example/?a=http%3A%2F%2Fu%3AS%40E|T%40h/", ["!http://r.example/?a=http%3A%2F%2Fu%3A***%40h/"]),
    ("ftp://a:x@ftp.example.org|bob@b.example", ["ftp://a:***@ftp.example.org/"]),
    ("http://localhost:8080: joe@x.example", ["http://localhost:8080/"]),
    ("http://h%3A>x@a.com", ["!http://h%3A"]),
    # Each link of a list.
    ("http://u:SA@h1:1,http://u:SB@h2:2", ["http://u:***@h1:1/", "http://u:***@h2:2/"]),
    ("http://10.0.0.1:79,http://u:p@h2:79", ["http://10.0.0.1:79/", "http://u:***@h2:79/"]),
    ("http://u:2024,http://c@d.example/x", ["!http://u:***@d.example/x"]),
    # A closer, and a mark that seldom follows one.
    ("(postgres://app:S3cr)!t@db.example/x)", ["!postgres://app:***@db.example/x"]),
    ("<http://u:SEC>>RET@h.example/>", ["!http://u:***@h.example/"]),
    ("'redis://:S3c'-ret@h:6379/0'", ["!redis://:***@h:6379/0"]),
    ("[http://u:S3c]-ret@h:6379/0]", ["!http://u:***@h:6379/0"]),
    ("`http://u:S3c`-ret@h:6379/0`", ["!http://u:***@h:6379/0"]),
    ("<http://r.example/?a=//u:SEC>>RET@h.example/>", ["!http://r.example/?a=//u:***@h.example/"]),
    ("(http://localhost:8080)-joe@x.example", ["http://localhost:8080/"]),
    ("(http://host:port), joe@x.example", ["!http://host:port"]),
    # Links that are encoded in others.
    ('https://r.example/?u=http%3A%2F%2Fu%3AKa"Rb%40h/', ["!https://r.example/?u=http%3A%2F%2Fu%3A***%40h/"]),
    ("https://r.example/?u=%2F%2Fjoe:Ka|Rb@h/", ["!https://r.example/?u=%2F%2Fjoe:***@h/"]),
    ("https://r.example/?u=%2F%2Fu:a|b@h/", ["!https://r.example/?u=%2F%2Fu:***@h/"]),
    (
        "https://r.example/?u=http%253A%252F%252Fu%253AKa|Rb%2540h/",
        ["!https://r.example/?u=http%253A%252F%252Fu%253A***%2540h/"],
    ),
    ("https://r.example/?u=http%3A%2F%2Fu%3AKa Rb%40h/ z", ["!https://r.example/?u=http%3A%2F%2Fu%3A***%40h/"]),
    # A disguised at-sign.
    ("http://u:Ka|Rb%40h/", ["!http://u:***%40h/"]),
    ("http://u:Ka|Rb&#64;h/", ["!http://u:***&#64;h/"]),
    ("http://u:Ka|Rb[at]h/", ["!http://u:***[at]h/"]),
    ("http://u:2024|Rb\uff20h/", ["!http://u:***\uff20h/"]),
    # Beside them: what is known to be a host, with a port.
    ("http://a.example:80|joe@x.example", ["http://a.example/"]),
    ("|http://localhost:3000|joe@x.example|", ["http://localhost:3000/"]),
    ("CEF:0|x|http://h.example:8080|joe@x.example|3", ["http://h.example:8080/"]),
    (r"a=http://h.example:8080\nb=joe@x.example", ["http://h.example:8080/"]),
    ("http://localhost:8080`,`joe@x.example", ["http://localhost:8080/"]),
    ("text http://h.example:80<br>joe@x.example", ["http://h.example/"]),
    ("http://10.0.0.1:80|joe@x.example", ["http://10.0.0.1/"]),
    ("http://localhost:3000{@code x}", ["http://localhost:3000/"]),
    ("http://example.com:|joe@x.example", ["http://example.com/"]),
    ("http://example.com:<b>x@y</b>", ["http://example.com/"]),
    (
        "http://r.example/?u=http%3A%2F%2Flocalhost%3A8080|joe@x.example",
        ["http://r.example/?u=http%3A%2F%2Flocalhost%3A8080"],
    ),
    ("http://r.example/?u=//h:80&m=a|joe@x.example", ["http://r.example/?u=//h:80&m=a"]),
    ("http://a.example:65536|joe@x.example", ["!http://a.example:***@x.example"]),
    # And other things that stay.
    ("http://localhost:8080 joe@x.example", ["http://localhost:8080/"]),
    ("http://localhost:8080. Mail joe@x.example", ["http://localhost:8080/"]),
    ("http://localhost:8080|x y@h.example", ["http://localhost:8080/"]),
    ("http://localhost:8080/|x@h.example", ["http://localhost:8080/"]),
    ("http://localhost|x@h.example", ["http://localhost/"]),
    ("http://localhost:8080\uff0cjoe@x.example", ["http://localhost:8080/"]),
    ("<td>http://localhost:8080</td><td>joe@x.example</td>", ["http://localhost:8080/"]),
    ('{"a":"http://localhost:8080","m":"joe@x.example"}', ["http://localhost:8080/"]),
    ("(http://localhost:8080)joe@x.example", ["http://localhost:8080/"]),
    ('["http://host:port","joe@x.example"]', ["!http://host:port"]),
    ("http://host:port mailto:joe@x.example", ["!http://host:port", "mailto:joe@x.example"]),
    ("http://host:port\njoe@x.example", ["!http://host:port"]),
    ("http://host:port see joe@x.example", ["!http://host:port"]),
    ("http://u:SE|http://joe@h.example/", ["!http://u:SE", "http://joe@h.example/"]),
    ("news:cp.g|@:x", ["news:cp.g"]),
    ("sms:510|@:: x", ["sms:510"]),
    ('"URN:U:s|//:p/"@', ["!URN:U:s|//:p/"]),
    ("http://[::1]:8080|x@h.example", ["http://[::1]:8080/"]),
    ("https://reg.example//repo:tag joe@x.example", ["https://reg.example//repo:tag"]),
    ("http://u:p@h.example/a|b@c", ["http://u:***@h.example/a"]),
    (f"http://u:a|{'b' * 300}@h.example/", ["!http://u:a"]),
]


def _said(found: Any) -> list[str]:
    return [str(one) if isinstance(one, Record) else f"!{one.masked().raw}" for one in found]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("text", "said"), CUT, ids=[row[0][:50] for row in CUT])
def test_a_candidate_that_ends_in_a_password(text: str, said: list[str]) -> None:
    whole = list(sieve(text))
    assert _said(whole) == said
    scanner = Scanner()
    pieces = [one for character in text for one in scanner.feed(character)]
    assert [*pieces, *scanner.close()] == whole
    for cut in range(len(text)):
        scanner = Scanner()
        assert [*scanner.feed(text[:cut]), *scanner.feed(text[cut:]), *scanner.close()] == whole


@pytest.mark.parametrize("unwrap", ["known", "any"])
def test_a_parameter_does_not_end_in_a_password(unwrap: str) -> None:
    options = Options(unwrap=Unwrap(unwrap))
    text = "https://www.google.com/url?q=http://admin:2024&x@h.example/"
    assert _said(sieve(text, options=options)) == [text.replace("2024&x", "***"), "!http://admin:***@"]
    text = "https://www.google.com/url?q=http%3A%2F%2Fadmin%3A2024&x%40h.example/"
    masked = text.replace("2024&x", "***")
    assert _said(sieve(text, options=options)) == [masked, "!http%3A%2F%2Fadmin%3A***%40"]
    text = "https://www.google.com/url?q=http://a.example:80&m=x@y"
    assert _said(sieve(text, options=options)) == [text, "http://a.example/"]


def test_a_urn_inside_another_identifier_shows_no_password_behind_it() -> None:
    options = Options(nested=NestedFinding.REPORT, repair=Repair.ENCODE)
    for found in sieve("magnet:?xt=urn:btih:AAAA&tr=http://u:SEC^RET@h.example/", options=options):
        assert "SEC" not in str(found.masked().as_dict())


# A link whose URI holds no password, and its other readings as they are written.
ALTERNATIVES = [
    ("https://r.example/?tags=a|b&next=https%3A%2F%2Fu%3APW%40h.example%2F",
     ["https://r.example/?tags=a%7Cb&next=https%3A%2F%2Fu%3A***%40h.example%2F"]),
    ("jdbc:sqlserver://h;password={PW;b};x=1", ["jdbc:sqlserver://h;password=***;x=1"]),
    ("jdbc:oracle:thin:u[proxy]/PW@h", ["jdbc:oracle:thin:u%5Bproxy%5D/***@h"]),
    ("http://a.example/x|y=//u:PW@h", ["http://a.example/x%7Cy=//u:***@h"]),
    ("https://r.example/?tags=a|b&next=%2Fc", ["https://r.example/?tags=a%7Cb&next=%2Fc"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), ALTERNATIVES, ids=[row[0] for row in ALTERNATIVES])
def test_alternatives_are_masked_though_the_uri_holds_no_password(text: str, shown: list[str], tmp_path: Path) -> None:
    [record] = sieve(text)
    assert isinstance(record, Record)
    masked = record.masked()
    assert list(masked.alternatives) == shown
    assert (masked.uri, masked.raw, masked.key) == (record.uri, record.raw, record.key)
    assert (masked is record) is ("PW" not in text)
    plain = "".join(f"http://h{number}.example/ http://h.example:{number}/?@\n" for number in range(20))
    document = f"{text}\n{plain}".encode()
    for form in ("jsonl", "csv", "tsv"):
        [line] = [line for line in call("extract", "-q", "-f", form, stdin=document).lines if shown[0] in line]
        assert "PW" not in line
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "found.parquet"
    assert call("extract", "-q", "-f", "parquet", "-o", str(path), stdin=document).status == 0
    assert parquet.read_table(path).column("alternatives").to_pylist()[0] == shown


@pytest.mark.parametrize(
    "text",
    ["https://r.example/?u=//joe:Ka\u30d1Rb@h.example/", "jdbc:mysql://joe:Ka\u30d1Rb@h/db",
     "http://web.archive.org/web/2020/http://joe:Ka\u30d1Rb@h/"],
)  # fmt: skip
def test_no_other_reading_ends_in_a_password(text: str) -> None:
    [record] = sieve(text)
    assert isinstance(record, Record)
    assert (record.raw, record.alternatives) == (text, ())
    assert Warn.TEXT_FOLLOWS not in record.warnings


# Two of them enclose what a password may hold; no piece of one may be written.
CANARY = "CANARY9"
ODD = "!\"$'()*+,-.:<>[\\]^_`{|}~%\ufeff\u200b\u3002\uff0c\u00e9\u201e\uff09\u30d1\ud55c\u0436"
SEPARATORS = "&;="  # of parameters
FORMS = [
    ("http://user:{}@a.example/", SEPARATORS),
    ("postgres://u:{}@db.example/x", SEPARATORS),
    ("see <http://user:{}@a.example/> now", SEPARATORS),
    ("jdbc:mysql://u:{}@h/db", SEPARATORS),
    ("view-source:http://u:{}@h.example/x", SEPARATORS),
    ("http://r.example/?u=http://u:{}@h.example/", ""),
    ("http://r.example/?u=//u:{}@h.example/", ""),
    ("jdbc:mysql://h.example/db?user=u&password={}", "&;"),
    ("jdbc:sqlserver://h.example:1433;user=u;password={};x=y", "&;"),
    ("jdbc:oracle:thin:u/{}@h:1521:x", SEPARATORS),
    ("redis://h.example?password={}", "&;"),
    ("http://web.archive.org/web/2020/http://u:{}@h.example/", ""),
    ("https://r.example/?u=http%3A%2F%2Fu%3A{}%40h.example/", ""),
    ("https://r.example/?u=%2F%2Fjoe:{}@h.example/", ""),
]


def _written(text: str, options: Options) -> str:
    token = password_token(SECRET)
    found = sieve(text, options=options)
    return "".join(str((one.masked() if isinstance(one, Rejection) else one.masked(token)).as_dict()) for one in found)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("chosen", ["default", "all"])
@pytest.mark.parametrize(("form", "more"), FORMS)
@given(st.data())
def test_no_piece_of_a_password_is_written(form: str, more: str, chosen: str, data: st.DataObject) -> None:
    options = Options() if chosen == "default" else ALL
    letters = [letter for letter in f"{ODD}@{more}" if letter not in "<>" or "<" not in form]  # a closer closes
    pieces = data.draw(st.lists(st.text(letters, min_size=1, max_size=3), min_size=1, max_size=4))
    password = CANARY + "".join(piece + CANARY for piece in pieces)
    assert CANARY not in _written(form.format(password), options)


@given(st.sampled_from("/?#@ "), st.text(ODD, max_size=2), st.text(ODD, max_size=2))
def test_nor_with_a_delimiter_in_it(delimiter: str, before: str, behind: str) -> None:
    assume(delimiter != "@" or not behind.strip("!$&'()*+,-.:;=_~%"))
    text = f"http://user:{CANARY}{before}{CANARY}{delimiter}{CANARY}{behind}{CANARY}@a.example/"
    if delimiter != "@":
        assert CANARY not in _written(text, Options())
    assert CANARY not in str(urisieve.check(text))
    assert CANARY not in masked_name(f"in {text}: no such file")


@given(st.text(max_size=60), st.integers(0, 60))
def test_masking_moves_an_offset_within_the_text(text: str, offset: int) -> None:
    raw = f"http://u:{text}@h/"
    shown, moved = masked_with_offset(raw, min(offset, len(raw)))
    assert 0 <= moved <= len(shown)
    assert masked_text(masked_text(raw)) == masked_text(raw)


# A message or a name, and how it is written.
NAMES = [
    ("crawl.warc!http://u:p|w@h/x", "crawl.warc!http://u:***@h/x"),
    ("cannot open http://u:p/w@h/x", "cannot open http://u:***@h/x"),
    ("http:/u:p w@h/named.txt is not there", "http:/u:***@h/named.txt is not there"),
    ("//u:pw@h", "//u:***@h"),
    (r"a.zip!http:\\u:pw@h/y.txt", r"a.zip!http:\\u:***@h/y.txt"),
    (r"http:\\u:pw@h", r"http:\\u:***@h"),
    (r"C:\files\a@b.txt", r"C:\files\a@b.txt"),
    ("/x/u:a\u2028next joe@h", "/x/u:a\u2028next joe@h"),
    ("jdbc:sqlserver://h;password=pw is not there", "jdbc:sqlserver://h;password=*** is not there"),
    ("two jdbc:oracle:thin:u/pw@h and redis://h?pwd=x", "two jdbc:oracle:thin:u/***@h and redis://h?pwd=***"),
    ("http://localhost:8080/a@b is missing", "http://localhost:8080/a@b is missing"),
    ("/x/u:a\nnext joe@h", "/x/u:a\nnext joe@h"),
    ("--field=a@b: 12:30", "--field=a@b: 12:30"),
    ("sip:u:pw@h", "sip:u:***@h"),
    ('["sip:u:pw@h.example"][0]', '["sip:u:***@h.example"][0]'),
    ("Re: SIPS:u;x=1:p:w@h", "Re: SIPS:u;x=1:***@h"),
    ("sip:u@h:5060", "sip:u@h:5060"),
    ("gossip:u:a@b", "gossip:u:a@b"),
    ("a@b.example: sip: see", "a@b.example: sip: see"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shown"), NAMES)
def test_what_is_shown_of_a_name(name: str, shown: str) -> None:
    assert masked_name(name) == shown


_SECRET_LINKS = ("http://u:SECRET@h.example/", "sip:u:SECRET@h.example")


@pytest.mark.parametrize("link", _SECRET_LINKS)
@pytest.mark.parametrize("form", ["text", "jsonl", "csv", "tsv"])
def test_names_around_identifiers_have_none(form: str, link: str, tmp_path: Path) -> None:
    """The names of fields and files, subjects and addresses, in all that is written of an identifier."""
    files = {
        "sip:u:SECRET@h.example": b"see http://a.example/",
        "a.json": json.dumps({link: ["http://a.example/", {f"see {link} now": "http://b.example/"}]}).encode(),
        "a.csv": f'id,"{link}"\n1,http://a.example/\n2,http://b.example/\n'.encode(),
        "a.eml": f"From: {link}\nTo: {link}, b <{link}>\nSubject: see {link} now\n\nhttp://a.example/\n".encode(),
        "a.ics": (
            f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nORGANIZER:{link}\nATTENDEE:{link}\nSUMMARY:{link}\n"
            "DESCRIPTION:http://a.example/\nEND:VEVENT\nEND:VCALENDAR\n"
        ).encode(),
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    more = ["--fields", "uri,source,field,from,to,subject"] if form == "text" else ["--format", form]
    commands = [["extract", *more], ["extract", "-u", *more], ["dedupe", *more], ["count"], ["stats"]]
    for command in commands[: None if form == "text" else 3]:
        done = call(*command, "--read", "context", str(tmp_path))
        assert done.status == 0, done.err
        assert b"a.example" in done.out
        assert "SECRET" not in done.out.decode() + done.err, command


# Without a scheme it is no identifier; its parameters may be those of a connection all the same.
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Server=h;Uid=sa;Pwd=PW", "Server=h;Uid=sa;Pwd=***"),
        ("AccountKey=PW", "AccountKey=***"),
        ("user=a password=PW host=h", "user=a password=***"),
        ("Server=tcp:h,1433;Password=PW;Encrypt=True", "Server=tcp:h,1433;Password=***;Encrypt=True"),
        ("http://h example/?password=x", "http://h example/?password=x"),
        ("jdbc:oracle:thin:u[proxy]/PW@h", "jdbc:oracle:thin:u[proxy]/***@h"),
    ],
)
def test_parameters_in_what_is_no_identifier(text: str, shown: str) -> None:
    rejection = urisieve.check(text)
    assert isinstance(rejection, Rejection)
    assert rejection.masked().raw == shown
    assert "PW" not in "".join((*call("check", text).lines, *call("explain", text).lines))


HOSTILE = [
    "http://a:|",
    "//u:",
    "http://u:a\u200b",
    'x "http://u:a"b',
    "jdbc:",
    "?password=",
    ";pwd=a",
    "http://a:b@",
    "%2F%2Fa:",
    "%3B",
    ";pwd%3D",
    "=http%3A%2F%2Fu%3A",
    " pw",
    "sip:",
    "sip:a",
    "sip:u:@",
]


def _masked(text: str) -> None:
    masked_text(text)
    masked_with_offset(text, 0)
    masked_name(text)


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_are_masked_in_linear_time(piece: str) -> None:
    assert_linear(_masked, lambda size: piece * (size // len(piece)), 60_000)
    assert_linear(_masked, lambda size: "jdbc:" + piece * (size // len(piece)), 60_000)
    # Up to the longest candidate each scheme is looked at with all that follows it: both sizes are above that.
    assert_linear(lambda text: list(sieve(text)), lambda size: piece * (size // len(piece)), 480_000, doublings=2)

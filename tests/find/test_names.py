"""Host names without a scheme: which are found, which are files, versions, attributes and the ends of sentences."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import hypothesis
import idna
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.marked_rows import Row, holds
from urisieve import Options, Record, Scanner, extract
from urisieve.codes import Warn
from urisieve.rules.registry import top_level_domains

NAMES = Options(schemeless="names")
ADDRESSES = Options(email="addresses")
FOLLOWS = "scheme-assumed text-follows"


def found(text: str, options: Options = NAMES) -> list[str]:
    return [record.raw for record in extract(text, options=options)]


@pytest.mark.parametrize(
    "text",
    [
        "see |example.com|, and |foo.org/x?y=1|.",
        "(|baz.io|) <|angle.com|> “|quoted.net|”",
        "host=|bar.net:8080/x| to:|ex.com|",
        "|docs.rs/foo| |t.co/x| |setup.zip/x| |build.sh:8080/|",
        "|EXAMPLE.COM| |GitHub.com| |YouTube.com/watch?v=1|",
        "|例え.jp| |bücher.de| |пример.рф| |xn--e1afmkfd.xn--p1ai|",
        "|163.com| |mail.163.com| |1.2.3.example.com| |a.1.com| |1.a.com|",
        "|123.in| |12.in/x| |v12.in| |v1.in/| |é.de| |ab.de|",
        "|sub.example.co.uk|. |a.b.c.d.com|, |example.com|: |example.com|? |example.com|… yes",
        "|www.e.com| |_dmarc.e.com|",
        "|موقع.مصر| |例.世界| |foo.xn--fiqs8s|",  # A18: labels of the table had been broken at hyphens
        "|example.com#x| |example.com?q|",
        "mailto:|www.a.example|@/",  # behind a scheme that is no candidate
        "|1.2.3.4/85.exe|, |1.2.3.4:8080/x.sh| (|1.2.3.4/bins/mips|) |192.0.2.1/?x=1| |1.2.3.4/a/b|.",  # E13
    ],
)
def test_what_is_found(text: str) -> None:
    assert found(text.replace("|", "")) == text.split("|")[1::2]


@pytest.mark.parametrize(
    "text",
    [
        "file.py README.md main.rs:10:5 libx.so a.ml run.sh x.pl setup.zip clip.mov logo.ps foo.test.py",
        "e.g. i.e. a.m. p.s. U.S. U.S.A. Ph.D. etc.",
        "v1.2.co 1.2.co 10.0.in 1.In 2.to x.com a.1.2.com 12.in 99.de v1.in V9.de",
        "build.sh:123456/ setup.zip: setup.zip:x/",
        "end.In the middle.So it goes.To",
        "path/to/x.com ./x.com ../example.com \\\\server\\example.com $example.com",
        "me@example.com example.com@x",
        "foo.get(x) obj.show(y) user.name user.id=3 a.date[1] std.io{",
        "node.js index.html a.txt Makefile.am_x conf.yaml localhost x.local",
        "1.2.3.4 1.5 3.14",
        "10.0.0.0/8 10.0.0.0/8, 1.2.3.4/24. Next 1.2.3.4/24.The 1.2.3.4/255.255.255.0 1.2.3.4/ 1.2.3.4/amd64",  # E13
        "256.2.3.4/x.sh 01.2.3.4/x.y v1.2.3.4/a.b 1.2.3.4.5/x.sh a/1.2.3.4/x.sh @1.2.3.4/x.sh 1.2.3/x.sh é1.2.3.4/a.b",
        "-example.com .example.com example..com ex_ample.c_om",
        "foo.fiqz9s foo.xn foo.xn-- foo.--rhqv96g foo.例",  # A18
    ],
)
def test_what_is_not(text: str) -> None:
    assert found(text) == []


def test_other_identifiers_come_first() -> None:
    text = "http://a.com/b.net mailto:x@c.org com.example.app://cb Ltd.https://d.com me@e.com urn:isbn:1.com"
    everything = Options(schemeless="names", email="addresses")
    assert found(text, everything) == [
        "http://a.com/b.net",
        "mailto:x@c.org",
        "com.example.app://cb",
        "https://d.com",
        "me@e.com",
        "urn:isbn:1.com",
    ]


def test_the_scheme_is_assumed() -> None:
    (record,) = extract("at Example.com:80.", options=NAMES)
    assert (record.raw, record.uri, record.start, record.end) == ("Example.com:80", "http://example.com/", 3, 17)
    assert record.warnings == (Warn.SCHEME_ASSUMED,)
    assert found("example.com", Options()) == found("example.com", Options(schemeless="www")) == []


BEHIND_TEXT = (  # K6: names behind text without a blank
    Row("就是这个|meishi.com| 好吃", warnings=FOLLOWS, alternatives="http://xn--meishi-ov7ir17g11sph9g.com/"),
    Row(
        "相关链接|meishi.com:80/a?b|。",
        uris="http://meishi.com/a?b",
        warnings=FOLLOWS,
        alternatives="http://xn--meishi-vo2j751jbmzbb00d.com/a?b",
    ),
    Row("访问|163.com|或|test.org|了", "digits, too; each before the next", uris="http://163.com/ http://test.org/"),
    Row("приветсайт|example.com| στο|example.gr| 링크는|a-b.kr|", "any script"),
    Row(
        "看|müller.de| 就是|übung.de|",
        "Latin letters beyond ASCII",
        uris="http://xn--mller-kva.de/ http://xn--bung-zra.de/",
    ),
    Row("版本3.2下载|example.com| 好.就是|meishi.com|", "behind a dot", warnings=f"{FOLLOWS} {FOLLOWS}"),
    Row(f"{'看' * 70}|meishi.com| x", "a label has 63 octets", warnings=FOLLOWS, alternatives=""),
    Row(f"{'看' * 300}|meishi.com| x", "nor is more than a name looked at", warnings=FOLLOWS, alternatives=""),
    Row("访问|192.0.2.1/a/b| x", "nor has an address letters", warnings=FOLLOWS, alternatives=""),
    Row("看|www.example.com/x|。", warnings=FOLLOWS, alternatives="http://xn--www-id3h.example.com/x"),
    Row("|日本a.jp| x", "`a.jp` is none without a slash", warnings=FOLLOWS, alternatives="http://a.jp/"),
    Row("看“|meishi.com|”了 看）|例え.jp| l’|example.fr|", "behind punctuation", wrappers="“” - -", alternatives=""),
    Row("\udcf6|cher.de| \ufffd|cher.de|", "a letter was lost", warnings=f"{FOLLOWS} {FOLLOWS}", alternatives=""),
    Row(
        "|例え.jp| |bücher.de| |пример.рф| |東京-tokyo.jp| |例え.example.com|", "names", warnings="scheme-assumed " * 5
    ),
    Row("|tv東京.jp| |l·l.com| |カ・フェ.jp| |é.de|", "names", warnings="scheme-assumed " * 4),
    Row("|аpple.com| |pаypal.com|", "what passes for Latin is no word", warnings="scheme-assumed mixed-script " * 2),
    Row("👉|example.com| →|example.com|、|example.com|", "symbols and stops", warnings="scheme-assumed " * 3),
    Row("|http://就是meishi.com/| x", "one of its own", warnings=""),
    # K6: the first name of a run ends at its top-level domain
    Row(
        "看|meishi.com|和|taobao.com|",
        "each with the longer reading",
        uris="http://meishi.com/ http://taobao.com/",
        warnings=f"{FOLLOWS} {FOLLOWS}",
    ),
    Row("|meishi.com|和|taobao.com| x", "at the start of the text", uris="http://meishi.com/ http://taobao.com/"),
    Row("访问|a1.com|或|b2.com/x吧|", "with a path", uris="http://a1.com/ http://b2.com/x%E5%90%A7"),
    Row("|a.b1.com|или|c.b2.ru|とも|c3.cn| x", "three of them", warnings=f"{FOLLOWS} " * 3),
    Row("|见a.com|或|b.com/x| y", "`a.com` is none without a slash"),
    Row("看|www.a.com|和|www.b.com| x", uris="http://www.a.com/ http://www.b.com/"),
    Row(f"|a1.com|{'看' * 300} x", "a longer run ends before text, too", warnings=FOLLOWS, alternatives=""),
    Row(f"{'|meishi.com|和' * 60}", "in a long run each", warnings=f"{FOLLOWS} " * 60),
    Row(f"|a1.com|看/{'a' * 1_030} x", "nor is more read behind a name", warnings=FOLLOWS, alternatives=""),
    Row(f"|a1.com|看/{'a' * 990} x", warnings=FOLLOWS, alternatives=f"http://a1.xn--com-ld3h/{'a' * 990}"),
    Row("|www.me東京.jp| |meishi.com和例え.jp| |a.com例.世界|", "one name, since no other follows"),
    Row("|comé.example.com| |a.commeishi.com| |a.comé-x.com|", "no change of script", warnings="scheme-assumed " * 3),
    Row("meishi.zzz和|taobao.com| |a.comраny.com|", "no top-level domain; no word"),
    # K6: what passes for Latin is no word
    Row("|раypal.com| |аррle.com| |сосa-cola.com|", warnings="scheme-assumed mixed-script " * 3),
    Row("|раураl.com| |АРРLE.com|", "at any length", warnings="scheme-assumed mixed-script " * 2),
    Row("сайт|example.ru| тел|example.ru| στο|example.gr|", "words", warnings=f"{FOLLOWS} " * 3),
    Row("看|apple.com| 人|pple.com|", "nor do these pass for Latin", warnings=f"{FOLLOWS} " * 2),
)


@pytest.mark.parametrize("row", BEHIND_TEXT, ids=lambda row: row.marked[:20])
def test_names_behind_text(row: Row) -> None:
    holds(row._replace(options=NAMES))


@pytest.mark.long
def test_each_name_of_a_long_run_is_found() -> None:  # K6: it would take minutes if each read the rest of the run
    records = list(extract("就是meishi.com" * 20_000, options=NAMES))
    assert len(records) == 20_000
    assert {record.uri for record in records} == {"http://meishi.com/"}


INTERNATIONAL = "scheme-assumed internationalized-address"
MAIL = (
    # K6
    Row(
        "邮件地址|test@test.com| x",
        warnings=FOLLOWS,
        alternatives="mailto:%E9%82%AE%E4%BB%B6%E5%9C%B0%E5%9D%80test@test.com",
    ),
    Row("1邮件地址|test@test.com|。", warnings=FOLLOWS),
    Row("почта|info@example.ru|, тел.|info@example.ru|", "marks between", warnings=f"{FOLLOWS} {FOLLOWS}"),
    Row("อีเมล|a@b.example| メールは|a.b@c.example|まで", "any script", warnings=f"{FOLLOWS} {FOLLOWS}"),
    Row(f"{'邮' * 22}|a@b.example| x", "no local part has 67 octets", warnings=FOLLOWS, alternatives=""),
    Row(f"{'邮' * 90}|a@b.example| x", "nor is more looked at", warnings=FOLLOWS, alternatives=""),
    Row(
        "|jörg@example.de| <|jörg@example.de|>",
        uris="mailto:j%C3%B6rg@example.de " * 2,
        warnings=f"{INTERNATIONAL} " * 2,
    ),
    Row("|用户@例子.广告|。", uris="mailto:%E7%94%A8%E6%88%B7@xn--fsqu00a.xn--4rr70v", warnings=INTERNATIONAL),
    Row("|иван.и@example.ru| |joe用户@b.example| |аdmin@b.example|", warnings=f"{INTERNATIONAL} " * 3),
    Row("发到|jörg@b.example| 邮件|éric@b.example|", warnings=f"{INTERNATIONAL} text-follows " * 2),
    Row("prénom=|joe@b.example| x", "a field", alternatives="mailto:pr%C3%A9nom%3Djoe@b.example"),
    Row(f"|{'é' * 32}@b.example| {'é' * 33}@b.example é{'a' * 63}@b.example", "RFC 6531: 64 octets"),
    Row("“|a@b.example|” →|a@b.example| ：|a@b.example|", "no letters", warnings="scheme-assumed " * 3),
    Row(
        "J\udcf6|rg@b.example| J\ufffd|rg@b.example|", "a letter was lost", warnings=f"{FOLLOWS} " * 2, alternatives=""
    ),
    Row("|mailto:jörg@example.de| x", "one of its own", warnings=""),
    # K10: users on a host
    Row("git@github.com:a/b.git u@host.example.com:/srv u@host.example.com:~/a u@host.example.com:b.tar.gz"),
    Row("git@github.com:a.git u@b.example::module/x u@b.example:22/x foo@bar.js:12:3 foo@bar.rs:12:3."),
    Row("clone git@github.com:a-b_c.d/e f", "not yet a path"),
    Row("Contact |joe@example.com|: he knows |joe@example.com|:\nmail |joe@example.com|. |joe@example.com|"),
    Row(
        "|joe@example.com|:hunter2 |joe@example.com|:22 |joe@example.com|:Hello. |joe@example.com|:|https://a.example/|"
    ),
    Row(
        f"|joe@example.com|:{'a' * 65}/b |joe@example.com|:{'a' * 70}.git joe@example.com:{'a' * 64}/b",
        "so much is looked at",
    ),
    # K10: users and communities of other services
    Row("@user@lemmy.world !c@lemmy.world (@user@lemmy.world) [!c@lemmy.world] |user@lemmy.world|"),
    Row("|Hi!joe@example.com| 看!|joe@example.com| |a!=joe@example.com|", "marks of a sentence and others"),
    # K10: files and versions
    Row("image@2x.png icon@3x.JPG foo@2.0.rc foo@bar.js foo@v1.2.dev pkg@1.x foo@1.0.0.beta"),
    Row("|foo@bar.rs| |a@b.dev| |joe@163.com| |a@b.lan| |a@1.example.com| |root@db.internal|"),
    # K10: any word and a colon, but no user with a password
    Row("word:|joe@example.com| note:|joe@example.com|, (E-Mail:|joe@example.com|) 12:|joe@example.com|"),
    Row("app.log:12:|joe@example.com| app.log:|joe@example.com|", "behind a place in a file"),
    Row("邮箱:|test@test.com| почта:|info@example.ru|, 用户:|abc@b.example|", warnings="scheme-assumed " * 3),
    Row("user:pw@host.example:21/ user:pw@host.example root:pw@h.com scott:tiger@h.example:1521 a:pw@h.example/x"),
    Row("a:pa@ss.com@host.example a:p!w@h.example a:pw@db.internal x/a:pw@h.com x=a:pw@h.com a:b:c:d:pw@h.com"),
    Row(
        "foo:4711@h.example?x foo:4711@h.example#x foo:4711@h.example/x foo:4711@h.example?x=1", "nothing of a password"
    ),
    Row(
        "foo:|joe@h.example|? foo:|joe@h.example|?) word:|joe@h.example|?\nfoo:|joe@h.example|. joe:|joe@h.example|,",
        "a sentence ends",
    ),
    Row("|joe@h.example|?x |joe@h.example|?subject=x mail:|joe@h.example|?x |joe@h.example|#x", "no word, or a field"),
    Row("|раypal@h.example| тел.|info@h.example|", "homographs", warnings=f"{INTERNATIONAL} {FOLLOWS}"),
    # K10: a link directly behind
    Row(
        "|info@example.ru||https://a.example/| x",
        uris="mailto:info@example.ru https://a.example/",
        warnings=FOLLOWS,
        alternatives="",
    ),
    Row("|a@b.example||http://a.example| |a@b.example|.|ftp://a.example/| 看|a@b.example||HTTPS://a.example/|"),
    Row("|a@b.examplehttp|:x |a@b.examplehttps| |a@b.examplehttps|: a@b.examplehttps:/ |a@b.examplehttp|", "no link"),
    Row("user:парольpw@h.com ssh:joe@example.com message:joe@example.com", "a scheme, a user"),
    Row(
        "|ftp://user:pw@host.com| |ftp://user@host.com:21/x|",
        warnings="userinfo-present password-present userinfo-present",
    ),
)


@pytest.mark.parametrize("row", MAIL, ids=lambda row: row.marked[:20])
def test_addresses_and_what_stands_around_them(row: Row) -> None:
    holds(row._replace(options=ADDRESSES))


@given(
    st.lists(
        st.sampled_from(
            [
                "example",
                ".",
                "com",
                "co",
                "py",
                "/",
                ":",
                "80",
                "@",
                "-",
                "é",
                "中",
                "x",
                " ",
                "(",
                "www.",
                "1",
                "_",
                "http://",
                "a" * 70,
                "1.2.3.4",
                "/85.exe",
                "почта",
                "ü",
                "、",
                "“",
                "!",
                "joe",
                "word:",
                ".git",
                ":a/b",
                ":12:3",
                "\udcf6",
                "com和",
                ".com",
                "раy",
                "foo:",
                "?x",
                "https://",
            ]
        ),
        max_size=14,
    ).map("".join),
    st.sampled_from(
        [
            NAMES,
            ADDRESSES,
            Options(schemeless="www"),
            Options(schemeless="names", email="addresses"),
            Options(schemeless="names", email="addresses", refang="known-forms"),
        ]
    ),
    st.data(),
)
def test_cuts_change_nothing(text: str, options: Options, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=5)))
    for places in ([0, *cuts, len(text)], list(range(len(text) + 1))):
        scanner = Scanner(options)
        values = []
        for here, there in pairwise(places):
            values += scanner.feed(text[here:there])
        values += scanner.close()
        whole = Scanner(options)
        assert values == whole.feed(text) + whole.close()
        assert all(value.raw == text[value.start : value.end] for value in values if isinstance(value, Record))


def test_long_names_are_none_wherever_they_are_cut() -> None:
    for text in ("a." * 400 + "com x", "é" * 300 + ".com x", "x" * 2_000 + ".com", "a." * 100 + "com x"):
        whole = found(text)
        for size in (1, 7, 130, 300):
            assert [
                r.raw for r in extract((text[i : i + size] for i in range(0, len(text), size)), options=NAMES)
            ] == whole


def test_every_entry_of_the_table_is_a_label_that_is_found() -> None:  # A18
    # RFC 1123 2.1: a top-level domain is alphabetic; an internationalized one is an A-label (RFC 5890 2.3.2.1).
    for name in sorted(top_level_domains()):
        label = idna.ulabel(name)
        assert (name.isascii() and name.isalpha() and name.islower()) or idna.alabel(label).decode() == name
        text = f"at example.{name}/x, example.{label}/x"
        assert [record.uri for record in extract(text, options=NAMES)] == [f"http://example.{name}/x"] * 2


def test_the_table_is_that_of_the_root() -> None:  # A18
    file = Path(hypothesis.__file__).parent / "vendor" / "tlds-alpha-by-domain.txt"
    lines = file.read_text("ascii").lower().splitlines()
    root = {line for line in lines if not line.startswith("#")}
    assert len(root) > 1_400
    # The two were not taken on one day, and the source of the table has variants that are not delegated.
    assert len(root - top_level_domains()) < 20
    assert len(top_level_domains() - root) < 20

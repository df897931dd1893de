"""The steps of merging in the kernel against those of the judge: the same forms for every set of steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urisieve import Options, Profile, extract, key, normalize
from urisieve.arrow import key_array, normalize_array
from urisieve.judge.judge import Judged, judge
from urisieve.judge.proofs import proofs_of
from urisieve.kernel import compiled
from urisieve.merging import NAMED_STEPS, PROFILES
from urisieve.options import MergeStep
from urisieve.records.mask import Mask
from urisieve.records.masking import masked_text
from urisieve.rules.registry import tracking_rows

# Parts of links that some step looks at, or nearly.
_SCHEMES = ("http", "https", "HTTP", "ws", "wss", "ftp", "rsync", "mailto", "file")
_HOSTS = (
    *("a.example", "www.a.example", "www2.a.example", "www.www3.a.example", "m.www.a.example"),
    *("www.m.a.example", "www.co.uk", "www2.co.uk", "m.co.uk", "m.b.co.uk", "www.example", "www1.2.3.4"),
    *("www.1.2.3.4", "1.2.3.4", "wwwx.a.b", "amp.mobile.a.example", "www33", "www", "m", "youtu.be"),
    *(
        "www.youtube.com",
        "amazon.de",
        "joe@a.example",
        "joe:pw@www.a.example",
        "a:@m.a.example",
        "www2a.b.c",
        "www.xn--bcher-kva.example",
    ),
    *("bücher.example", "WWW.A.Example", "www2.www.example", "microsoft.com", "doi.org", "urn.kb.se"),
)
_PORTS = ("", "", "", ":", ":80", ":0080", ":443", ":08", ":000", ":8080")
_SEGMENTS = (
    *("", "", "x", "X", "index.html", "INDEX.php", "default.aspx", "index", "web", "http:", ":", "a%2Fb"),
    *("%c3%9C", "Ü", "x;jsessionid=1A", "..;jsessionid=1", "(S(lit3py55t21z5v55vlm25s55))", "ark:", "12148"),
    *("b-tv", "ARK:12345", "unsubscribe", "10.1000/182", "urn:nbn:de:a", "~", "index.htmlx", "home.html", "maps"),
)
_PAIRS = (
    *("", "a", "a=1", "b=2", "a=", "A=1", "=1", "id=7", "sid=12", "sid=0123456789abcdef"),
    *("SID=abcdefghijklmnop1", "PHPSESSID=x", "jsessionid", "ASPSESSIONIDQQ=1", "aspsessionid1=2", "CFID=1"),
    *("cftoken=2", "sid=abcdefghijklmnopq", "utm_source=x", "UTM_X=1", "utm_=", "utm", "fbclid=1", "mkt_tok=3"),
    *("si=q", "tag=1", "ref=unsubscribe", "icid=1", "u=http://b.example/?utm_medium=y", "x=%26", "é=1"),
    *("q=unsubscribe", "utm_x=preferences"),
)
_FRAGMENTS = ("", "#", "#top", "#1", "#!/x", "#/x", "#a=b", "#:~:text=x", "#a:~:b", "#a::~:b", "#a:b-c.d_e", "#Ü")


@st.composite
def links(draw: st.DrawFn) -> str:
    """Return a link of parts that the steps look at."""
    segments = draw(st.lists(st.sampled_from(_SEGMENTS), max_size=4))
    path = "".join(f"/{one}" for one in segments)
    pairs = draw(st.lists(st.sampled_from((*_PAIRS, *_OF_TABLE)), max_size=5))
    query = "?" + "&".join(pairs) if pairs else ""
    host, port = draw(st.sampled_from(_HOSTS)), draw(st.sampled_from(_PORTS))
    return f"{draw(st.sampled_from(_SCHEMES))}://{host}{port}{path}{query}{draw(st.sampled_from(_FRAGMENTS))}"


_OF_TABLE = tuple(f"{row.name.replace('*', 'x')}={row.unless[0] if row.unless else 1}" for row in tracking_rows()[::7])
_PARAMETERS = ("a", "A", "id@a.example", "utm_*", "s*@www.a.example", "b@b.example", "q")


def profiles() -> st.SearchStrategy[Profile]:
    """Return profiles of any steps, with parameters of one's own."""
    steps = st.one_of(st.sampled_from(tuple(PROFILES)).map(lambda name: [name]), st.sets(st.sampled_from(NAMED_STEPS)))
    named = st.lists(st.sampled_from(_PARAMETERS), max_size=3)
    return st.builds(Profile, steps, drop_params=named, keep_params=named)


def _is_idempotent(text: str, options: Options) -> bool:
    judged = judge(text, options)
    return not isinstance(judged, Judged) or judge(judged.uri, options)[:2] == judged[:2]


@pytest.mark.hypothesis
@given(links(), profiles())
def test_the_kernel_makes_what_the_judge_makes(text: str, profile: Profile) -> None:
    options = Options(merge=profile)
    judged = judge(text, options)
    proved = proofs_of(options).canonical(text)
    proved_key = proofs_of(options).key(text)
    if proved is not None:
        assert isinstance(judged, Judged)
        assert proved == judged.uri
        assert proved_key in (judged.key, None)
    found = [(record.uri, record.key, record.warnings) for record in extract(f"<{text}>", options=options)]
    if isinstance(judged, Judged):
        assert found == [(judged.uri, judged.key, judged.warnings)] or "whitespace-removed" in str(found)


@pytest.mark.hypothesis
@given(links(), profiles())
def test_steps_together_are_idempotent(text: str, profile: Profile) -> None:
    assert _is_idempotent(text, Options(merge=profile))


@pytest.mark.parametrize("host", ["www2.a.example", "m.a.example"])
@pytest.mark.parametrize("step", NAMED_STEPS)
def test_each_step_is_made_by_the_kernel(host: str, step: MergeStep) -> None:
    options = Options(merge=step)
    text = f"http://{host}:0080//X/index.html?utm_source=1&b=2&a=1#top"
    proved = proofs_of(options).canonical(text)
    assert (proved == normalize(text, options=options)) if compiled else proved is None
    assert proofs_of(options).key(text) == (judge(text, options).key if compiled else None)  # type: ignore[union-attr]


def test_a_query_of_many_parts_is_left_to_the_judge() -> None:
    options = Options(merge="page")
    query = "&".join(f"b{number}=1" for number in reversed(range(70)))
    text = f"http://a.example/?{query}&utm_source=x"
    assert proofs_of(options).canonical(text) is None
    assert (
        key(text, options=options)
        == f"https://a.example/?{'&'.join(sorted(query.split('&'), key=lambda pair: pair[:-2]))}"
    )


@pytest.mark.hypothesis
@given(st.lists(links(), max_size=5), profiles(), st.booleans())
def test_arrays_have_the_forms_of_the_judge(texts: list[str], profile: Profile, wide: bool) -> None:
    pa = pytest.importorskip("pyarrow")
    options = Options(merge=profile)
    secret = bytes(32)
    judged = [judge(text, options) for text in texts]
    array = pa.array(["no", *texts, None], pa.large_string() if wide else pa.string())[1:]
    wanted = [one if isinstance(one, Judged) else None for one in judged]
    keys = [None if one is None else Mask(secret).key(one.key) for one in wanted]
    assert key_array(array, secret=secret, options=options).to_pylist() == [*keys, None]
    forms = [None if one is None else masked_text(one.uri) for one in wanted]
    assert normalize_array(array, options=options).to_pylist() == [*forms, None]


def test_an_array_with_a_link_that_only_the_judge_knows() -> None:
    pa = pytest.importorskip("pyarrow")
    many = f"http://www.a.example/?{'&'.join(f'b{number}=1' for number in range(70))}&utm_source=x"
    texts = ["http://www.a.example", many, "http://joe:pw@www.a.example/", "mailto:A@B.Example", "", "urn:ISBN:1"]
    options = Options(merge="page")
    found = key_array(pa.array(texts), secret=bytes(32), options=options).to_pylist()
    assert found[:2] == [key(text, options=options) for text in texts[:2]]
    assert found[2] == Mask(bytes(32)).key("https://joe:pw@a.example/")
    assert found[3:] == ["mailto:A@b.example", None, "urn:isbn:1"]

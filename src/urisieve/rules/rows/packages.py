"""The row of package URLs, `pkg` (ECMA-427), and what the types of packages say of case.

Its canonical form is that of "How to parse a PURL" and "How to build a PURL": the text is divided, each component
decoded and encoded again. The definitions of the types stand in the folder `types` of the purl specification.
"""

from __future__ import annotations

from urllib.parse import quote_from_bytes, unquote_to_bytes

from urisieve.codes import Notice
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.forms import named, pairs, repeated
from urisieve.rules.scheme_table import Scheme
from urisieve.syntax.components import Components, lower_case, recompose
from urisieve.syntax.passwords import passwords

# The components of a package whose case does not count, by type (`case_sensitive` is false in its definition):
# n(amespace), N(ame), v(ersion), s(ubpath).
_CASELESS: Final = {
    "alpm": "nN",
    "apk": "nN",
    "bitbucket": "nN",
    "bitnami": "N",
    "brew": "nN",
    "chrome-extension": "N",
    "composer": "nN",
    "deb": "nN",
    "github": "nN",
    "hex": "nN",
    "huggingface": "v",
    "luarocks": "nN",
    "oci": "Nv",
    "otp": "Ns",
    "pub": "N",
    "pypi": "Nv",
    "qpkg": "n",
    "rpm": "n",
    "vscode-extension": "nNv",
    "yocto": "n",
}
# What the names of a type have in place of other characters (`normalization_rules`).
_REPLACED: Final = {"pypi": (lazy_compile(b"_"), b"-"), "pub": (lazy_compile(b"[^a-z0-9_]"), b"_")}

# "Rules for each PURL component". Parsers remove slashes before the type.
TYPE: Final = r"[A-Za-z][A-Za-z0-9.\-]*+"
_TYPE: Final = lazy_compile(TYPE)
# A name that is not empty, a version, and qualifiers by their keys; a namespace may begin with "@".
_QUALIFIER: Final = r"(?:[A-Za-z][A-Za-z0-9._\-]*+(?:=[^&]*+)?)?"
_EXPECTED: Final = rf"/*+{TYPE}/++(?:[^/?@][^?]*+|@[^/?]++/++[^/?][^?]*+)(?:\?{_QUALIFIER}(?>&{_QUALIFIER}(?=&|\Z))*+)?"
# In types whose case counts, and without upper-case letters; with one qualifier at most.
_CASED: Final = r"(?>[A-Za-z0-9.\-_~:]|%(?!3A)[0-9A-F]{2})++"
_LOWER: Final = r"(?>[a-z0-9.\-_~:]|%(?!3A)[0-9A-F]{2})++"


def _canonical(kinds: str, text: str) -> str:
    qualifier = rf"(?:\?[a-z][a-z0-9.\-_]*+={_CASED})?"
    subpath = rf"(?:#(?!\.\.?(?:/|\Z)){text}(?>/(?!\.\.?(?:/|\Z)){text})*+)?"
    return rf"{kinds}[a-z][a-z0-9.\-]*+(?>/{text})++(?:@{text})?{qualifier}{subpath}"


_FOLDED: Final = "|".join(_CASELESS)
# A text that the form leaves as it is.
CANONICAL: Final = f"(?:{_canonical(f'(?!(?:{_FOLDED})/)', _CASED)}|{_canonical('(?!(?:pypi|pub)/)', _LOWER)})"


class _Divided(NamedTuple):
    """The parts of a package URL before its qualifiers; nothing is decoded."""

    kind: str
    namespace: list[str]
    name: str
    version: str


def _divided(parts: Components) -> _Divided | None:
    """Divide a path, by "How to parse a PURL"; None if it has no type or no name.

    A slash or two before the type are none of it, so that it may stand where a URI has its host.
    """
    path = parts.path
    if parts.host is not None:
        if parts.userinfo is not None or parts.port is not None:
            return None
        path = f"{parts.host}{path}"
    kind, slash, rest = path.lstrip("/").partition("/")
    if not slash or _TYPE.fullmatch(kind) is None:
        return None
    version = ""
    at = rest.rfind("@")
    if at > 0 and (rest[at - 1] != "/" or "/" not in rest[at:]):  # `a/@angular/core` has no version
        rest, version = rest[:at], rest[at + 1 :]
    segments = [segment for segment in rest.split("/") if segment]
    return _Divided(lower_case(kind), segments[:-1], segments[-1], version) if segments else None


def _encoded(octets: bytes) -> str:
    """Encode all but letters, digits, ".-_~" and ":" ("Character encoding")."""
    return quote_from_bytes(octets, safe=":")


def _component(text: str, *, lowers: bool) -> str:
    octets = unquote_to_bytes(text)
    return _encoded(octets.lower() if lowers else octets)  # of bytes, ASCII letters alone


def _name(kind: str, name: str, *, lowers: bool) -> str:
    if kind in _REPLACED:
        pattern, replacement = _REPLACED[kind]
        return _encoded(pattern.sub(replacement, unquote_to_bytes(name).lower()))
    return _component(name, lowers=lowers)


def _qualifiers(query: str) -> str | None:
    """Sort qualifiers by their keys, which have no case; one without a value is none."""
    items = [(lower_case(key), value) for key, _, value in (item.partition("=") for item in query.split("&")) if value]
    items.sort(key=lambda item: item[0])
    return "&".join(f"{key}={_component(value, lowers=False)}" for key, value in items) or None


def _pkg(parts: Components) -> Components:
    divided = _divided(parts)
    if divided is None:
        return parts
    kind, namespace, name, version = divided
    if passwords(recompose(parts)):
        # Encoded anew, a password might be one no longer, and so be shown.
        before, slash, rest = parts.path.partition("/")
        return parts if parts.host is not None else parts._replace(path=f"{lower_case(before)}{slash}{rest}")
    caseless = _CASELESS.get(kind, "")
    path = "/".join(
        [
            kind,
            *(_component(one, lowers="n" in caseless) for one in namespace),
            _name(kind, name, lowers="N" in caseless),
        ]
    )
    if version:
        path = f"{path}@{_component(version, lowers='v' in caseless)}"
    subpath = [one for one in (parts.fragment or "").split("/") if one not in ("", ".", "..")]
    return Components(
        parts.scheme,
        None,
        None,
        None,
        path,
        None if parts.query is None else _qualifiers(parts.query),
        "/".join(_component(one, lowers="s" in caseless) for one in subpath) or None,
    )


def _pkg_check(parts: Components) -> tuple[Notice, ...]:
    return repeated(key for key, _ in pairs(parts.query or "", "&"))


def _pkg_parts(parts: Components) -> dict[str, str]:
    divided = _divided(parts)
    kind, namespace, name, version = divided or _Divided("", [], "", "")
    return named(
        [
            ("type", kind or None),
            ("namespace", "/".join(namespace) or None),
            ("name", name or None),
            ("version", version or None),
            *pairs(parts.query or "", "&"),
            ("subpath", parts.fragment),
        ]
    )


ROWS: Final = (
    Scheme(
        name="pkg",
        title="a package of software",
        reference="ECMA-427, Rules for each PURL component",
        case="type, keys of qualifiers; namespace, name, version, subpath where the definition of the type says so",
        equivalence="order of qualifiers; qualifiers and components that are empty, and none; slashes around them;"
        " triplets and the characters they encode; `_` and `-` in names of pypi, and `_` for what names of pub do not"
        " hold. Left out are the case of letters beyond ASCII, what definitions say of hackage (kebab-case), cpan"
        " (authors), git, golang and mlflow (names), alpm (versions) and file names of pypi, and all but the type where"
        " a password stands in it",
        keeps_dots=True,  # only a subpath has such segments
        expected=_EXPECTED,
        # Any type, since anyone may define one; no slash before it: `pkg:/go/pkg` is a mounted folder.
        shape=r"[A-Za-z][A-Za-z0-9.\-]{0,63}/{1,4}[A-Za-z0-9@%_.~]",
        form=_pkg,
        check=_pkg_check,
        parts=_pkg_parts,
        same=(
            ("pkg:NPM/foobar@12.3.1", "pkg:npm/foobar@12.3.1"),
            ("PKG:npm/@angular/core@1", "pkg:npm/%40angular/core@1"),
            ("pkg://npm/foobar@1", "pkg:/npm/foobar@1"),
            ("pkg:npm//a//foobar/@1", "pkg:npm/a/foobar@1"),
            ("pkg:github/Package-URL/Purl-Spec@A", "pkg:github/package-url/purl-spec@A"),
            ("pkg:bitbucket/A/B#C", "pkg:bitbucket/a/b#C"),
            ("pkg:pypi/Django_package@1", "pkg:pypi/django-package@1"),
            ("pkg:pub/A-b", "pkg:pub/a_b"),
            ("pkg:deb/Debian/attr@1%3A2+b1", "pkg:deb/debian/attr@1:2%2Bb1"),
            ("pkg:rpm/Fedora/curl?Distro=f-25&arch=i386", "pkg:rpm/fedora/curl?arch=i386&distro=f-25"),
            ("pkg:gem/a@1?b=&c=d&e", "pkg:gem/a@1?c=d"),
            ("pkg:gem/a@?#", "pkg:gem/a"),
            ("pkg:julia/A?repository_url=https://h.example/R", "pkg:julia/A?repository_url=https:%2F%2Fh.example%2FR"),
            ("pkg:golang/a.example/b#/c/./d/", "pkg:golang/a.example/b#c/d"),
            ("pkg:otp/A@B#C", "pkg:otp/a@B#c"),
            ("pkg:oci/a@sha256%3AAB", "pkg:oci/A@sha256:ab"),
        ),
        different=(
            ("pkg:npm/foobar@12.3.1", "pkg:npm/foobar@12.3.2"),
            ("pkg:npm/foobar@12.3.1", "pkg:gem/foobar@12.3.1"),
            ("pkg:npm/a", "pkg:npm/A"),
            ("pkg:npm/a%2Fb", "pkg:npm/a/b"),
            ("pkg:github/a/b@c", "pkg:github/a/b@C"),
            ("pkg:rpm/fedora/a", "pkg:rpm/fedora/A"),
            ("pkg:npm/a_b", "pkg:npm/a-b"),
            ("pkg:deb/debian/curl@7.50.3-1?arch=i386", "pkg:deb/debian/curl@7.50.3-1"),
            ("pkg:gem/a?b=c&b=d", "pkg:gem/a?b=d&b=c"),
            ("pkg:golang/google.golang.org/genproto#googleapis/api", "pkg:golang/google.golang.org/genproto"),
        ),
    ),
)

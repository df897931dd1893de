"""Programs that are asked the same as urisieve: each with the questions that it answers, called as its papers say.

A peer that is not installed is left out. An answer is None where the peer refuses the text, or does not answer.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import ctypes.util
import ipaddress
import shutil
import subprocess
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

__all__ = ["QUESTIONS", "Answer", "Ask", "Peer", "peers"]

QUESTIONS = {
    "valid": "valid?",
    "split": "components",
    "resolve": "reference resolved",
    "same": "the same?",
    "to-uri": "IRI to URI",
    "to-iri": "URI to IRI",
    "a-label": "A-label",
    "u-label": "U-label",
    "ipv6": "IPv6 address",
    "found": "found in text",
}
Answer = Any
Ask = Callable[..., Answer]


class Peer(NamedTuple):
    """A program, its version, and what it answers by question."""

    name: str
    version: str
    ask: Mapping[str, Ask]


def _refusing(ask: Ask, *errors: type[Exception]) -> Ask:
    def answer(*texts: str) -> Answer:
        try:
            return ask(*texts)
        except errors:
            return None
        except Exception as error:  # what its papers do not name
            return f"raises {type(error).__name__}"

    return answer


def _accepts(ask: Ask, *errors: type[Exception]) -> Ask:
    def answer(text: str) -> Answer:
        try:
            ask(text)
        except errors:
            return False
        except Exception as error:  # likewise
            return f"raises {type(error).__name__}"
        return True

    return answer


def _same(form: Callable[[str], str]) -> Ask:
    return lambda first, second: form(first) == form(second)


def _urllib() -> Mapping[str, Ask]:
    def parsed(text: str) -> Answer:
        parts = urlsplit(text)
        _ = parts.port, parts.hostname
        return parts

    def split(text: str) -> Answer:
        scheme, authority, path, query, fragment = urlsplit(text)
        return {"scheme": scheme, "authority": authority, "path": path, "query": query, "fragment": fragment}

    return {
        "valid": _accepts(parsed, ValueError),
        "split": _refusing(split, ValueError),
        "resolve": _refusing(urljoin, ValueError),
        "own": _refusing(lambda text: urlsplit(text).geturl(), ValueError),
    }


def _ipaddress() -> Mapping[str, Ask]:
    return {"ipv6": _refusing(lambda text: str(ipaddress.IPv6Address(text)), ValueError)}


def _idna() -> Mapping[str, Ask]:
    package = import_module("idna")
    return {
        "a-label": _refusing(lambda name: package.encode(name, uts46=True).decode(), package.IDNAError, UnicodeError),
        "u-label": _refusing(package.decode, package.IDNAError, UnicodeError),
    }


def _rfc3986() -> Mapping[str, Ask]:
    package = import_module("rfc3986")
    errors = import_module("rfc3986.exceptions").RFC3986Exception, ValueError
    names = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
    validator = import_module("rfc3986.validators").Validator().check_validity_of(*names)

    def split(text: str) -> Answer:
        parts = package.uri_reference(text)
        named = {name: getattr(parts, name) for name in ("scheme", "authority", "query", "fragment")}
        return {**named, "path": parts.path or ""}  # it says None of a path that is empty

    def resolve(base: str, reference: str) -> Answer:
        return package.uri_reference(reference).resolve_with(package.uri_reference(base), strict=True).unsplit()

    def form(text: str) -> str:
        if not text.isascii():
            raise ValueError("it is made for URIs")
        return str(package.normalize_uri(text))

    return {
        "valid": _accepts(lambda text: validator.validate(package.uri_reference(text)), *errors),
        "split": _refusing(split, *errors),
        "resolve": _refusing(resolve, *errors),
        "same": _refusing(_same(form), *errors),
        "form": _refusing(form, *errors),
        "own": _refusing(form, *errors),
    }


def _rfc3987() -> Mapping[str, Ask]:
    package = import_module("rfc3987")
    rules = ("URI", "IRI", "URI_reference", "IRI_reference")

    def valid(text: str) -> Answer:
        return tuple(package.match(text, rule) is not None for rule in rules)

    def split(text: str) -> Answer:
        parts = package.parse(text, "IRI_reference")
        return {name: parts[name] for name in ("scheme", "authority", "path", "query", "fragment")}

    return {
        "valid": valid,
        "split": _refusing(split, ValueError),
        "resolve": _refusing(package.resolve, ValueError),
    }


def _uritools() -> Mapping[str, Ask]:
    package = import_module("uritools")

    def split(text: str) -> Answer:
        parts = package.urisplit(text)
        names = ("scheme", "authority", "userinfo", "host", "port", "path", "query", "fragment")
        return {name: getattr(parts, name) for name in names}

    return {
        "split": split,
        "resolve": _refusing(lambda base, reference: package.urijoin(base, reference, strict=True), ValueError),
    }


def _hyperlink() -> Mapping[str, Ask]:
    package = import_module("hyperlink")
    errors = package.URLParseError, ValueError

    def parse(text: str) -> Any:
        return package.parse(text, decoded=False)

    def text(url: Any) -> str:
        return str(url.to_text(with_password=True))

    def split(given: str) -> Answer:
        url = parse(given)
        return {"scheme": url.scheme, "userinfo": url.userinfo, "host": url.host, "fragment": url.fragment}

    def form(given: str) -> str:
        return text(parse(given).normalize())

    return {
        "valid": _accepts(parse, *errors),
        "split": _refusing(split, *errors),
        "resolve": _refusing(
            lambda base, reference: text(parse(base).click(parse(reference))), NotImplementedError, *errors
        ),
        "same": _refusing(_same(form), *errors),
        "form": _refusing(form, *errors),
        "to-uri": _refusing(lambda given: text(parse(given).to_uri()), *errors),
        "own": _refusing(lambda given: text(parse(given)), *errors),
    }


def _yarl() -> Mapping[str, Ask]:
    url = import_module("yarl").URL

    def split(text: str) -> Answer:
        parts = url(text, encoded=True)
        return {
            "scheme": parts.scheme,
            "authority": parts.raw_authority,
            "path": parts.raw_path,
            "query": parts.raw_query_string,
            "fragment": parts.raw_fragment,
        }

    def form(text: str) -> str:
        return str(url(text))

    return {
        "valid": _accepts(url, ValueError),
        "split": _refusing(split, ValueError),
        "resolve": _refusing(lambda base, reference: str(url(base).join(url(reference))), ValueError),
        "same": _refusing(_same(form), ValueError),
        "form": _refusing(form, ValueError),
        "to-uri": _refusing(form, ValueError),
        "own": _refusing(form, ValueError),
    }


def _can_ada() -> Mapping[str, Ask]:
    package = import_module("can_ada")

    def form(text: str) -> str:
        return str(package.parse(text).href)

    def split(text: str) -> Answer:
        parts = package.parse(text)
        if parts.href != text:
            return None  # it has changed something: these are not components of what was given
        return {
            "scheme": parts.protocol[:-1],
            "host": parts.hostname,
            "port": parts.port,
            "path": parts.pathname,
            "query": parts.search[1:],
            "fragment": parts.hash[1:],
        }

    def encode(name: str) -> str | None:
        return package.idna_encode(name).decode().lower() or None

    def decode(name: str) -> str | None:
        return str(package.idna_decode(name.encode())) or None

    return {
        "valid": lambda text: bool(package.can_parse(text)),
        "split": _refusing(split, ValueError),
        "same": _refusing(_same(form), ValueError),
        "form": _refusing(form, ValueError),
        "to-uri": _refusing(form, ValueError),
        "own": _refusing(form, ValueError),
        "a-label": _refusing(encode, ValueError),
        "u-label": _refusing(decode, ValueError),
    }


# Of idn2.h: UTS 46 without its transitional mappings, as `--lookup` of the program idn2 does by default.
_NFC_INPUT, _NONTRANSITIONAL, _USE_STD3 = 1, 8, 32


def _libidn2() -> tuple[str, Mapping[str, Ask]]:
    found = ctypes.util.find_library("idn2")
    if found is None:
        raise ImportError("libidn2")
    library = ctypes.CDLL(found)
    library.idn2_check_version.restype = ctypes.c_char_p
    library.idn2_free.argtypes = [ctypes.c_void_p]

    def asked(call: Any, name: str, flags: int) -> str | None:
        answer = ctypes.c_void_p()
        if call(name.encode("utf-8", "surrogatepass") + b"\0", ctypes.byref(answer), flags) != 0 or not answer.value:
            return None
        text = ctypes.string_at(answer.value).decode("utf-8", "replace")
        library.idn2_free(answer)
        return text

    return library.idn2_check_version(None).decode(), {
        "a-label": lambda name: asked(library.idn2_to_ascii_8z, name, _NFC_INPUT | _NONTRANSITIONAL),
        "u-label": lambda name: asked(library.idn2_to_unicode_8z8z, name, 0),
    }


class _Perl:
    """A process of Perl that answers lines."""

    def __init__(self) -> None:
        program = shutil.which("perl")
        if program is None:
            raise ImportError("perl")
        script = Path(__file__).with_name("perl_peer.pl")
        self._process = subprocess.Popen(
            [program, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        found = self.ask("versions")
        if found is None:
            self.close()
            raise ImportError("URI of Perl")
        self.versions = found
        atexit.register(self.close)

    def ask(self, question: str, *texts: str) -> list[str | None] | None:
        """Return the texts of an answer; None after an error, or from a process that ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        words = [question, *(text.encode("utf-8", "surrogatepass").hex() for text in texts)]
        try:
            self._process.stdin.write(f"{' '.join(words)}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            return None
        line = self._process.stdout.readline().decode().rstrip("\n")
        if line == "!" or (question == "versions" and not line):
            return None
        return [None if word == "-" else bytes.fromhex(word[1:]).decode("utf-8", "replace") for word in line.split()]

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has ended before it read a question that is still kept here
                self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _perl() -> list[Peer]:
    perl = _Perl()

    def one(question: str) -> Ask:
        def answer(*texts: str) -> Answer:
            found = perl.ask(question, *texts)
            return found[0] if found else None

        return answer

    def split(text: str) -> Answer:
        names = ("scheme", "authority", "path", "query", "fragment")
        found = perl.ask("split", text)
        return None if found is None else dict(zip(names, found, strict=True))

    def same(first: str, second: str) -> Answer:
        found = perl.ask("same", first, second)
        return found and found[0] == "1"

    made = [
        Peer(
            "Perl URI",
            str(perl.versions[0]),
            {
                "split": split,
                "resolve": one("resolve"),
                "same": same,
                "form": one("form"),
                "to-uri": one("to_uri"),
                "to-iri": one("to_iri"),
                "own": one("to_uri"),
            },
        )
    ]
    if perl.versions[1] is not None:
        made.append(Peer("Perl URI::Find", perl.versions[1], {"found": lambda text: perl.ask("found", text)}))
    return made


_PACKAGES: Mapping[str, Callable[[], Mapping[str, Ask]]] = {
    "rfc3986": _rfc3986,
    "rfc3987": _rfc3987,
    "uritools": _uritools,
    "hyperlink": _hyperlink,
    "yarl": _yarl,
    "can-ada": _can_ada,
    "idna": _idna,
}


def peers() -> list[Peer]:
    """Return the programs that are installed; processes that they need end with their input."""
    from platform import python_version

    made = [
        Peer("urllib", f"of Python {python_version()}", _urllib()),
        Peer("ipaddress", f"of Python {python_version()}", _ipaddress()),
    ]
    for name, make in _PACKAGES.items():
        try:
            made.append(Peer(name, version(name), make()))
        except (ImportError, PackageNotFoundError):
            continue
    try:
        found, ask = _libidn2()
        made.append(Peer("libidn2", found, ask))
    except (ImportError, OSError, AttributeError):
        pass
    with contextlib.suppress(ImportError):
        made += _perl()
    return made

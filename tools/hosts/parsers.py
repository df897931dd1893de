"""The parsers of links that are asked which host they read: packages, libcurl, and programs of other languages.

A parser that is not installed is left out, with what it lacks. An answer is a host as the parser gives it, without the
brackets of an address, `""` if the parser reads no host, or None if it refuses the text.
"""

from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import shutil
import subprocess
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from tempfile import mkdtemp
from typing import Final, NamedTuple
from urllib.parse import urlsplit

__all__ = ["Answers", "HostParser", "host_parsers", "python_parsers"]

_HERE: Final = Path(__file__).parent
Answers = list[str | None]
Read = Callable[[str], str | None]


class HostParser(NamedTuple):
    """A parser, its version, and its answers to many texts.

    Attributes:
        name: as the tables have it.
        version: of the package or the program.
        hosts: returns the host of each text.
    """

    name: str
    version: str
    hosts: Callable[[Sequence[str]], Answers]


def _each(read: Read) -> Callable[[Sequence[str]], Answers]:
    """Ask about one text after the other; any exception is a refusal."""

    def one(text: str) -> str | None:
        try:
            return read(text)
        except Exception:  # what a parser raises depends on the text: all of it refuses
            return None

    def hosts(texts: Sequence[str]) -> Answers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [one(text) for text in texts]

    return hosts


def _urllib() -> Read:
    return lambda text: urlsplit(text).hostname or ""


def _idna_2003() -> Read:
    """What `urllib.request` connects to: `socket` encodes names by the codec `idna` of Python, which is of 2003."""

    def read(text: str) -> str:
        host = urlsplit(text).hostname or ""
        return host if host.isascii() else host.encode("idna").decode("ascii")

    return read


def _can_ada() -> Read:
    parse = import_module("can_ada").parse
    return lambda text: str(parse(text).hostname)


def _yarl() -> Read:
    url = import_module("yarl").URL
    return lambda text: url(text).raw_host or ""


def _httpx() -> Read:
    url = import_module("httpx").URL
    return lambda text: str(url(text).raw_host.decode("ascii"))


def _urllib3() -> Read:
    parse = import_module("urllib3.util").parse_url
    return lambda text: parse(text).host or ""


def _rfc3986() -> Read:
    parse = import_module("rfc3986").urlparse
    return lambda text: parse(text).host or ""


_PACKAGES: Final = {
    "can-ada": _can_ada,
    "yarl": _yarl,
    "httpx": _httpx,
    "urllib3": _urllib3,
    "rfc3986": _rfc3986,
}


# Of curl/urlapi.h.
_CURL_URL, _CURL_HOST, _CURL_NON_SUPPORT_SCHEME = 0, 5, 1 << 3


def _curl() -> tuple[str, Read]:
    found = ctypes.util.find_library("curl")
    if found is None:
        raise ImportError("libcurl")
    library = ctypes.CDLL(found)
    library.curl_version.restype = ctypes.c_char_p
    library.curl_url.restype = ctypes.c_void_p
    library.curl_url_cleanup.argtypes = [ctypes.c_void_p]
    library.curl_free.argtypes = [ctypes.c_void_p]
    library.curl_url_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    library.curl_url_get.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint]

    def read(text: str) -> str | None:
        if "\0" in text:
            return None
        handle = library.curl_url()
        try:
            if library.curl_url_set(handle, _CURL_URL, text.encode(), _CURL_NON_SUPPORT_SCHEME) != 0:
                return None
            answer = ctypes.c_void_p()
            if library.curl_url_get(handle, _CURL_HOST, ctypes.byref(answer), 0) != 0 or not answer.value:
                return ""
            host = ctypes.string_at(answer.value).decode("utf-8", "surrogateescape")
            library.curl_free(answer)
            return host
        finally:
            library.curl_url_cleanup(handle)

    return library.curl_version().decode().split()[0].partition("/")[2], read


def _program(command: Sequence[str | Path]) -> Callable[[Sequence[str]], Answers]:
    """Ask a program, one process for all texts: a line of hexadecimal digits each way, `-` no host, `!` refused."""

    def hosts(texts: Sequence[str]) -> Answers:
        if not texts:
            return []
        asked = "".join(f"{text.encode('utf-8', 'surrogatepass').hex()}\n" for text in texts)
        done = subprocess.run([*map(str, command)], input=asked.encode(), stdout=subprocess.PIPE, check=True)
        lines = done.stdout.decode("ascii").splitlines()
        if len(lines) != len(texts):
            raise RuntimeError(f"{command[0]} gave {len(lines)} answers to {len(texts)} texts")
        return [_answer(line) for line in lines]

    return hosts


def _answer(line: str) -> str | None:
    return (
        {"-": "", "!": None}[line] if line in ("-", "!") else bytes.fromhex(line[1:]).decode("utf-8", "surrogateescape")
    )


def _said(*command: str) -> str:
    """Return the first line that a command prints."""
    done = subprocess.run(command, capture_output=True, check=True)
    lines = (done.stdout + done.stderr).decode().splitlines()
    return next((line for line in lines if not line.startswith("Picked up ")), "").strip()  # of the options of Java


def _needed(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            raise ImportError(program)


def _folder() -> Path:
    """Make a folder for what is compiled, which goes with this process."""
    folder = mkdtemp(prefix="urisieve-hosts-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _node() -> list[HostParser]:
    _needed("node")
    return [HostParser("Node URL", _said("node", "--version")[1:], _program(["node", _HERE / "hosts.js"]))]


def _perl() -> list[HostParser]:
    _needed("perl")
    script = _HERE / "hosts.pl"
    try:
        known = _said("perl", str(script), "version")
    except subprocess.CalledProcessError:
        raise ImportError("URI of Perl") from None
    return [HostParser("Perl URI", known, _program(["perl", script]))]


def _php() -> list[HostParser]:
    _needed("php")
    known = _said("php", "-n", "-r", "echo PHP_VERSION;")
    return [HostParser("PHP parse_url", known, _program(["php", "-n", _HERE / "hosts.php"]))]


def _ruby() -> list[HostParser]:
    _needed("ruby")
    return [HostParser("Ruby URI", _said("ruby", "-e", "puts RUBY_VERSION"), _program(["ruby", _HERE / "hosts.rb"]))]


def _go() -> list[HostParser]:
    _needed("go")
    program = _folder() / "hosts"
    subprocess.run(["go", "build", "-o", str(program), str(_HERE / "hosts.go")], check=True)
    return [HostParser("Go net/url", _said("go", "version").split()[2][2:], _program([program]))]


def _java() -> list[HostParser]:
    _needed("java", "javac")
    folder = str(_folder())
    subprocess.run(["javac", "-d", folder, str(_HERE / "Hosts.java")], check=True)
    known = _said("java", "-version").split('"')[1]
    command = ["java", "-Xshare:auto", "-cp", folder, "Hosts"]
    return [
        HostParser("Java URI", known, _program(command)),
        HostParser("Java URL", known, _program([*command, "url"])),
    ]


_PROGRAMS: Final = {"Node": _node, "Perl": _perl, "PHP": _php, "Ruby": _ruby, "Go": _go, "Java": _java}


def python_parsers() -> tuple[list[HostParser], list[str]]:
    """Return the parsers that need no other process, and what others lack, in words."""
    made = [
        HostParser("urllib", python_version(), _each(_urllib())),
        HostParser("urllib and socket", python_version(), _each(_idna_2003())),
    ]
    lacking = []
    for name, make in _PACKAGES.items():
        try:
            made.append(HostParser(name, version(name), _each(make())))
        except (ImportError, PackageNotFoundError):
            lacking.append(f"{name}: the package is not installed")
    try:
        known, read = _curl()
        made.append(HostParser("libcurl", known, _each(read)))
    except (ImportError, OSError, AttributeError) as error:
        lacking.append(f"libcurl: there is no {error}")
    return made, lacking


def host_parsers() -> tuple[list[HostParser], list[str]]:
    """Return all parsers that are installed, and what others lack, in words; some of them are compiled first."""
    made, lacking = python_parsers()
    for name, of_program in _PROGRAMS.items():
        try:
            made += of_program()
        except (ImportError, subprocess.CalledProcessError) as error:
            lacking.append(f"{name}: there is no {error}")
    return made, lacking

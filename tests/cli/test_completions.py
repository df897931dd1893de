"""The completions of bash, zsh and fish, tried in these shells."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE, call
from urisieve.cli.program import COMMANDS, accepted
from urisieve.codes import Reason, Warn

pytestmark = [
    pytest.mark.once,
    pytest.mark.skipif(sys.platform == "win32", reason="the shells are those of POSIX systems"),
]

SHELLS = ("bash", "zsh", "fish")
# What is typed before the key, and what stands there afterwards.
COMPLETED = [
    ("urisieve ext", "urisieve extract "),
    ("urisieve namesp", "urisieve namespaces "),
    ("urisieve extract --uniq", "urisieve extract --unique "),
    ("urisieve extract --format js", "urisieve extract --format jsonl "),
    ("urisieve extract -f pa", "urisieve extract -f parquet "),
    ("urisieve extract -q some", "urisieve extract -q some.txt "),
    ("urisieve extract --output some", "urisieve extract --output some.txt "),
    ("urisieve extract --fail-on password-p", "urisieve extract --fail-on password-present"),
    ("urisieve extract --fail-on bad-port,bad-ni", "urisieve extract --fail-on bad-port,bad-nid"),
    ("urisieve extract --schemes registe", "urisieve extract --schemes registered"),
    ("urisieve extract --schemes http,goph", "urisieve extract --schemes http,gopher"),
    ("urisieve extract --fields uri,dom", "urisieve extract --fields uri,domain"),
    ("urisieve extract --accept defa", "urisieve extract --accept defanged"),
    ("urisieve check --accept orc", "urisieve check --accept orcid"),
    ("urisieve extract --merge drop-f", "urisieve extract --merge drop-fragment"),
    ("urisieve dedupe --store fold", "urisieve dedupe --store folder/"),
    ("urisieve dedupe --unmatched dr", "urisieve dedupe --unmatched drop "),
    ("urisieve store ver", "urisieve store verify "),
    ("urisieve store forget --uns", "urisieve store forget --unseen-for "),
    ("urisieve store info some", "urisieve store info some.txt "),
    ("urisieve completion fi", "urisieve completion fish "),
    ("urisieve schemes gopher", "urisieve schemes gopher "),
    ("urisieve extract --format=tsv", "urisieve extract --format=tsv "),
    ("urisieve normalize --invalid=bl", "urisieve normalize --invalid=blank "),
]


def script(shell: str) -> str:
    done = call("completion", shell)
    assert (done.status, done.err) == (0, "")
    return done.out.decode("ascii")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "some.txt").touch()
    (tmp_path / "folder").mkdir()
    for shell in SHELLS:
        (tmp_path / f"completions.{shell}").write_text(script(shell))
    program = tmp_path / "bin" / "urisieve"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m urisieve "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    return tmp_path


def offered(*words: str) -> list[str]:
    """What the shells are told: what may stand there, and the words."""
    done = call("--complete", *words)
    assert (done.status, done.err) == (0, "")
    return [line.partition("\t")[0] for line in done.lines]


def test_all_commands_options_and_words_are_there() -> None:
    assert set(offered("")) > {*COMMANDS, "--help", "--version"}
    for some in accepted().values():
        for command in some:
            path = command.prog.split()[1:]
            names = {name for argument in command.all_arguments if argument.is_option for name in argument.names}
            assert {"words", *names} <= set(offered(*path, "-"))
            assert set(command.actions) <= set(offered(*path, ""))
            for argument in command.all_arguments:
                choices = [str(choice) for choice in argument.settings.get("choices", ())]
                if argument.is_option and choices:
                    assert offered(*path, argument.names[0], "") == ["words", *choices]
                    assert offered(*path, f"--{argument.long}=") == [
                        "words",
                        *(f"--{argument.long}={c}" for c in choices),
                    ]
    assert {"list", *Reason, *Warn, "rejected"} <= set(offered("extract", "--fail-on", ""))
    assert {"list", "page", "archive-key", "isbn-13"} <= set(offered("extract", "--merge", ""))
    assert {"list", "a,isbn-13"} <= set(offered("extract", "--merge", "a,"))
    assert "gopher" in offered("schemes", "")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("extract", "--format", "js"), ["words", "jsonl"]),
        (("extract", "--format", "=", "js"), ["words", "jsonl"]),  # as bash divides it
        (("extract", "--format", "="), ["words", "text", "jsonl", "csv", "tsv", "parquet"]),
        (("extract", "--quiet", "some"), ["files"]),
        (("extract", "--", "--form"), ["files"]),
        (("extract", "--output", "o"), ["files"]),
        (("dedupe", "--unmatched", "dr"), ["files", "drop"]),
        (("check", "ht"), ["words"]),
        (("normalise", "a"), ["files"]),
        (("store", "verify", "a"), ["files"]),
        (("store", "nothing", "a"), ["words"]),
        ((), ["words", *COMMANDS, "-h", "--help", "--help-all", "-V", "--version"]),
    ],
)
def test_what_is_offered(words: tuple[str, ...], found: list[str]) -> None:
    assert offered(*words) == found


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_it_without_a_word(shell: str, folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    done = subprocess.run([shell, "-n", f"completions.{shell}"], cwd=folder, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


class Terminal:
    """A shell at a terminal of its own, which writes down the line that is being typed when it gets Ctrl-G."""

    MARK = re.compile(r"<<<(.*?)>>>", re.DOTALL)

    def __init__(self, words: list[str], folder: Path) -> None:
        import pty

        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.environ.update(HOME=str(folder), TERM="dumb", ZDOTDIR=str(folder), PS1="> ", LC_ALL="C.UTF-8")
            os.execvp(words[0], words)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def read_until(self, sign: str) -> str:
        shown = ""
        ends = time.monotonic() + PATIENCE
        while sign not in shown:
            if not select.select([self._terminal], [], [], max(0.0, ends - time.monotonic()))[0]:
                raise AssertionError(f"{sign!r} did not come: {shown!r}")
            shown += os.read(self._terminal, 65_536).decode("utf-8", "replace")
        return shown

    def completed(self, text: str) -> str:
        """What stands in the line after the key for completion."""
        self.type(f"{text}\t\x07")
        found = self.MARK.search(self.read_until(">>>"))
        assert found is not None
        self.type("\x15")  # Ctrl-U: an empty line
        return found[1]

    def close(self) -> None:
        os.close(self._terminal)
        os.waitpid(self._pid, 0)


STARTED = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
SETUP = {
    "bash": """source completions.bash; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'
bind -x '"\\C-g": printf "<<<%s>>>" "$READLINE_LINE"'; echo re''ady
""",
    "zsh": """unsetopt zle_bracketed_paste beep; autoload -Uz compinit; compinit -u -d dump; source completions.zsh
shown() { print -rn -- "<<<$BUFFER>>>" }; zle -N shown; bindkey '^G' shown; echo re''ady
""",
}


@pytest.fixture(params=sorted(SETUP))
def terminal(request: pytest.FixtureRequest, folder: Path) -> Iterator[Terminal]:
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param}")
    running = Terminal(STARTED[request.param], folder)
    running.type(SETUP[request.param])
    running.read_until("ready")
    yield running
    running.close()


@pytest.mark.sampled(3)
def test_bash_and_zsh(terminal: Terminal) -> None:
    found = [(typed, terminal.completed(typed)) for typed, _ in COMPLETED]
    assert [(typed, line.rstrip(" ,=")) for typed, line in found] == [
        (typed, line.rstrip()) for typed, line in COMPLETED
    ]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_fish(folder: Path) -> None:
    for typed, line in COMPLETED:
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source completions.fish; complete -C '{typed}'"],
            cwd=folder,
            env={**os.environ, "HOME": str(folder)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        words = [row.partition("\t")[0] for row in done.stdout.splitlines()]
        last = line.split()[-1]
        assert words == [last], typed


@pytest.mark.parametrize("words", [["completion"], ["completion", "tcsh"], ["completion", "bsh"]])
def test_other_shells(words: list[str]) -> None:
    done = call(*words)
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)

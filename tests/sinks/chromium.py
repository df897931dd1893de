"""A headless Chromium for tests, driven by the DevTools protocol through pipes: no other package is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.helpers.cli_support import PATIENCE

__all__ = ["MISSING", "Chromium", "Page"]

_PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
# Why there is none; "" if there is.
MISSING = "" if _PROGRAM else "Chromium is not installed: apt-get install chromium"
# Without these it looks for updates, and looks up names in the network.
_QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--hide-scrollbars"),
    *("--disable-extensions", "--remote-debugging-pipe"),
)


class Chromium:
    """A browser; a context manager.

    Args:
        folder: an empty folder for what it keeps.
    """

    def __init__(self, folder: Path) -> None:
        assert _PROGRAM is not None
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # Chromium reads its commands from descriptor 3 and writes to 4 (DevTools protocol, "pipe").
        shell = f'exec 3<&{commands} 4>&{answers}; exec "$@"'
        arguments = ["bash", "-c", shell, "bash", _PROGRAM, *_QUIET, f"--user-data-dir={folder}", "about:blank"]
        self._process = subprocess.Popen(
            arguments, pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(commands)
        os.close(answers)
        self._last = 0
        self._read = b""
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, *, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result; events that come meanwhile are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def wait_for(self, method: str) -> None:
        """Wait for an event that has not come since the events were cleared."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._answers, 1 << 20) if ready else b""
            assert data, "Chromium does not answer"
            self._read += data
        line, _, self._read = self._read.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(20)
        except (AssertionError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait(20)
        finally:
            os.close(self._commands)
            os.close(self._answers)


class Page:
    """A page of a browser, opened from a file.

    Args:
        browser: the browser.
        path: the file.
        width: of the window, in pixels.
        theme: which colours the system prefers, `light` or `dark`.
        scripts: whether scripts run.
    """

    def __init__(
        self, browser: Chromium, path: Path, *, width: int = 1280, theme: str = "light", scripts: bool = True
    ) -> None:
        self._browser = browser
        self._scripts = scripts
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._target = target
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        browser.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        browser.wait_for("Page.loadEventFired")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol for this page."""
        return self._browser.call(method, session=self._session, **parameters)

    def value(self, expression: str) -> Any:
        """Return what an expression of JavaScript is in the page, evaluated beside its policy."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def events(self, *methods: str) -> list[dict[str, Any]]:
        """Return what the events of these names said since the page was opened."""
        if self._scripts:  # else promises are not kept
            self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")
        return [event["params"] for event in self._browser.events if event.get("method") in methods]

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the page was opened."""
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]

    def complaints(self) -> list[str]:
        """Return the messages and errors of the console."""
        names = (
            "Runtime.consoleAPICalled",
            "Runtime.exceptionThrown",
            "Log.entryAdded",
            "Page.javascriptDialogOpening",
        )
        return [json.dumps(event) for event in self.events(*names)]

    def click(self, selector: str) -> None:
        """Click with the mouse on the middle of an element."""
        x, y = self.value(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.scrollIntoView("
            "{ block: 'center' }); const box = one.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key by its name, such as `Tab`."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowDown": 40, "Backspace": 8}
        text = {"Enter": "\r", " ": " "}.get(key, "")
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes[key]}
        common["modifiers"] = 8 if shift else 0
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text: str) -> None:
        """Type a text where the focus is."""
        self.call("Input.insertText", text=text)

    def picture(self, path: Path) -> None:
        """Write a picture of the whole page, as PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, path: Path) -> None:
        """Write the page as it is printed, as PDF."""
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"]))

    def close(self) -> None:
        """Close the page."""
        self._browser.call("Target.closeTarget", targetId=self._target)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

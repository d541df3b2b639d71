"""Headless Chromium for tests of pages, without any network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1280, 900
SECONDS_A_PAGE = 600

_WITH_PIPES = """
import os, sys
ends = [os.dup(int(end)) for end in sys.argv[1:3]]
for place, end in zip((3, 4), ends):
    os.dup2(end, place)
    os.set_inheritable(place, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes a program that reads from file descriptor 3 and writes to 4."""


def find_browser() -> str | None:
    """Return the path of the browser, or None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Browser:
    """Headless Chromium, told what to do through its DevTools protocol on two pipes."""

    def __init__(self, program: str, profile: str) -> None:
        to_browser, self._commands = os.pipe()
        self._answers, from_browser = os.pipe()
        self._process = subprocess.Popen(
            [
                sys.executable, "-c", _WITH_PIPES, str(to_browser), str(from_browser),
                program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                f"--user-data-dir={profile}", f"--window-size={WIDTH},{HEIGHT}", "--remote-debugging-pipe",
            ],
            pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Give a command and wait for its answer; what happens meanwhile is kept in `events`."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str) -> None:
        """Wait until the browser tells of an event."""
        end = time.monotonic() + SECONDS_A_PAGE
        while all(event.get("method") != method for event in self.events):
            if time.monotonic() > end:
                raise TimeoutError(f"no {method} within {SECONDS_A_PAGE} s")
            self.events.append(self._read())

    def value(self, expression: str) -> Any:
        """Return what a JavaScript expression gives on the page."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def open(self, address: str) -> None:
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait_for("Page.loadEventFired")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._answers, 1 << 16)
            if not part:
                raise RuntimeError("the browser ended")
            self._rest += part
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

"""A real browser for tests of pages: chromium without a window, over a pipe.

One browser serves all tests of a process; each page is a tab of its own. Scripts that a test runs
come through chromium's own door, so that they work whatever the policy of the page forbids.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time

import pytest

LONGEST = 30.0  # seconds that chromium may take for an answer

# collects whatever goes wrong in a page, from before its first script on
CATCH = """
window.problems = [];
window.addEventListener("error", (e) => window.problems.push(String(e.message)));
window.addEventListener("unhandledrejection", (e) => window.problems.push(String(e.reason)));
for (const level of ["error", "warn"]) {
  const before = console[level];
  console[level] = (...words) => { window.problems.push(words.join(" ")); before(...words); };
}
document.addEventListener("securitypolicyviolation", (e) =>
  window.problems.push(`${e.effectiveDirective} forbids ${e.blockedURI || e.sample}`));
"""


def chromium():
    """The path of chromium; without one a test is skipped, or fails if LOWDIM_NEEDS_CHROMIUM."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        if os.environ.get("LOWDIM_NEEDS_CHROMIUM"):
            pytest.fail("LOWDIM_NEEDS_CHROMIUM is set, and there is no chromium")
        pytest.skip("no chromium")
    return found


def _pipe():
    """The ends of a pipe, at numbers that no child takes for its own."""
    low = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low]
    for end in low:
        os.close(end)
    return high


class Browser:
    """Chromium in a process of its own; `open` gives tabs."""

    def __init__(self, profile, *arguments):
        ours, theirs = _pipe(), _pipe()
        command = [
            chromium(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--hide-scrollbars",
            "--no-first-run",
            "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
            *arguments,
            "about:blank",
        ]
        actions = [
            (os.POSIX_SPAWN_DUP2, ours[0], 3),  # chromium reads from here
            (os.POSIX_SPAWN_DUP2, theirs[1], 4),  # and writes to there
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        self._process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
        os.close(ours[0])
        os.close(theirs[1])
        self._to_browser, self._from_browser = ours[1], theirs[0]
        self._received, self._number = b"", 0

    def ask(self, method, session=None, **params):
        """Send a command, and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LONGEST
        while True:
            answer = self._next(end)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _next(self, end):
        while b"\0" not in self._received:
            left = end - time.monotonic()
            ready, _, _ = select.select([self._from_browser], [], [], max(left, 0))
            part = os.read(self._from_browser, 2**20) if ready else b""
            assert part, "chromium does not answer"
            self._received += part
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def open(self, path, size=(1200, 900), media=None, **features):
        """A tab with the page of a file, once the page is ready.

        Parameters
        ----------
        path : Path
        size : (width, height)
        media : 'print' or None
        **features
            Of the reader's device: prefers_color_scheme='dark'.
        """
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, target, session)
        tab.ask("Page.enable")
        tab.ask(
            "Emulation.setDeviceMetricsOverride",
            width=size[0], height=size[1], deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        tab.show_as(media, **features)
        tab.ask("Page.addScriptToEvaluateOnNewDocument", source=CATCH)
        tab.ask("Page.navigate", url=path.as_uri())
        tab.wait_for("document.documentElement?.dataset.ready === 'yes'")
        return tab

    def close(self):
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)
        os.close(self._to_browser)
        os.close(self._from_browser)


class Tab:
    """A page in the browser."""

    def __init__(self, browser, target, session):
        self._browser, self._target, self._session = browser, target, session

    def ask(self, method, **params):
        return self._browser.ask(method, self._session, **params)

    def show_as(self, media=None, **features):
        """Another medium or device from now on; see `Browser.open`."""
        wishes = [{"name": name.replace("_", "-"), "value": v} for name, v in features.items()]
        self.ask("Emulation.setEmulatedMedia", media=media or "", features=wishes)

    def run(self, script, eval_as_the_page=False):
        """What a script gives; `await` and `return` may stand in it.

        `eval_as_the_page` leaves it to the policy of the page whether text may become a program.
        """
        answer = self.ask(
            "Runtime.evaluate",
            allowUnsafeEvalBlockedByCSP=not eval_as_the_page,
            expression=f"(async () => {{ {script} }})()",
            awaitPromise=True,
            returnByValue=True,
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def value(self, expression):
        return self.run(f"return {expression};")

    def wait_for(self, condition):
        """Until an expression is true."""
        end = time.monotonic() + LONGEST
        while not self.value(condition):
            assert time.monotonic() < end, f"never: {condition}; {self.problems()}"
            time.sleep(0.02)

    def problems(self):
        """Errors, warnings and what the policy forbade; that there is no WebGL is none."""
        return [said for said in self.value("window.problems") if "WebGL" not in said]

    def press(self, key, text=None):
        """A key, as from a keyboard."""
        numbers = {"Tab": 9, "Enter": 13}
        settings = {"key": key, "code": key, "windowsVirtualKeyCode": numbers.get(key, 0)}
        down = {"type": "keyDown", **settings, **({} if text is None else {"text": text})}
        self.ask("Input.dispatchKeyEvent", **down)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **settings)

    def move_to(self, x, y):
        """The pointer, in pixels of the window."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, whole=False):
        """The page as PNG."""
        settings = {}
        if whole:
            box = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            settings = {"captureBeyondViewport": True, "clip": {**box, "scale": 1}}
        return base64.b64decode(self.ask("Page.captureScreenshot", **settings)["data"])

    def close(self):
        self._browser.ask("Target.closeTarget", targetId=self._target)

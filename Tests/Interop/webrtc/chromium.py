"""Chromium, headless, over its DevTools socket."""

import base64
import shutil

import clients
from webrtc import devtools

SWITCHES = """--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --no-default-browser-check
--autoplay-policy=no-user-gesture-required --allow-loopback-in-peer-connection --disable-features=WebRtcHideLocalIpsWithMdns
--use-fake-ui-for-media-stream --use-fake-device-for-media-stream=fps=30,device-count=2 --disable-background-networking --disable-sync
--disable-component-update --disable-default-apps --disable-extensions --disable-background-timer-throttling --metrics-recording-only
--disable-renderer-backgrounding --disable-backgrounding-occluded-windows --remote-debugging-port=0 --remote-allow-origins=*""".split()


def found():
    return shutil.which("chromium")


class Chromium:
    kind = "chromium"

    def __init__(self, folder, page_url):
        self._page_url = page_url
        profile = folder / "chromium-profile"
        shutil.rmtree(profile, ignore_errors=True)
        self.process = clients.Process("Chromium", [found(), *SWITCHES, f"--user-data-dir={profile}", "about:blank"],
                                       folder / "chromium.log", {"HOME": str(folder)})
        file = profile / "DevToolsActivePort"
        clients.wait_until(lambda: (file.exists() and len(file.read_text().split()) == 2) or not self.process.running, 30,
                           "Chromium's DevTools socket")
        if not self.process.running:
            raise devtools.BrowserError(f"Chromium ended at once: {self.process.tail()}")
        port, path = file.read_text().split()
        self._remote = devtools.Remote(f"ws://127.0.0.1:{port}{path}")

    def page(self):
        """Opens a client: a new page in a new window."""
        page = self._open(self._page_url)
        clients.wait_until(page.ready, 15, "the test page in Chromium")
        return page

    def visit(self, url):
        """Opens a page of the relay in a new window."""
        page = self._open("about:blank")
        page.visit(url)
        return page

    def _open(self, url):
        target = self._remote.call("Target.createTarget", url=url, newWindow=True)["targetId"]
        session = self._remote.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return ChromiumPage(self._remote, target, session)

    def stop(self):
        try:
            self._remote.call("Browser.close", timeout=5)
        except Exception:  # the page may be gone already; only the process matters
            pass
        self._remote.close()
        self.process.wait(5)
        self.process.stop()


class ChromiumPage:
    kind = "chromium"

    def __init__(self, remote, target, session):
        self._remote, self._target, self._session = remote, target, session

    def evaluate(self, text, timeout=20):
        """Returns the value of a script, run as if the user had just touched the page."""
        answer = self._remote.call("Runtime.evaluate", timeout, self._session, expression=text, awaitPromise=True,
                                   returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise devtools.BrowserError(str(answer["exceptionDetails"].get("exception", answer["exceptionDetails"]))[:400])
        return answer["result"].get("value")

    def ready(self):
        # Chromium aborts requests when the machine's network interfaces change, as those of a run do at its begin.
        if self.evaluate("!!window.lacksScript", 10):
            self._remote.call("Page.reload", session=self._session)
            return False
        return self.evaluate("document.readyState === 'complete' && typeof api === 'object' && !!api.view", 10) is True

    def call(self, function, timeout=40, **options):
        return devtools.value(self.evaluate(devtools.expression(function, options), timeout))

    def visit(self, url):
        self._remote.call("Page.navigate", session=self._session, url=url)
        clients.wait_until(self._visited, 15, url)

    def _visited(self):
        if not self.evaluate("document.readyState === 'complete' && location.href !== 'about:blank'"):
            return False
        # The reason is that of `ready`.
        if self.evaluate("performance.getEntriesByType('resource').some(one => one.responseStatus === 0 && one.name.startsWith(location.origin))"):
            self._remote.call("Page.reload", session=self._session)
            return False
        return True

    def size(self, width, height, dark=False, touch=False):
        """Sets the size of the window, in pixels, as on a desktop, or with `touch` as on a phone."""
        self._remote.call("Emulation.setDeviceMetricsOverride", session=self._session, width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self._remote.call("Emulation.setTouchEmulationEnabled", session=self._session, enabled=touch)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self._remote.call("Emulation.setEmulatedMedia", session=self._session, features=features)

    def key(self, name):
        """Presses and releases a key."""
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowRight": 39}.get(name) or ord(name.upper())
        for kind in ("keyDown", "keyUp"):
            typed = "\r" if name == "Enter" else name if len(name) == 1 else ""
            text = {"text": typed} if typed and kind == "keyDown" else {}
            self._remote.call("Input.dispatchKeyEvent", session=self._session, type=kind, key=name, code=name, windowsVirtualKeyCode=code, **text)

    def unnamed(self):
        """Returns the roles of controls that have no name for a screen reader."""
        tree = self._remote.call("Accessibility.getFullAXTree", session=self._session)["nodes"]
        controls = {"button", "textbox", "combobox", "tab", "link", "menuitem", "dialog", "image"}
        return [node["role"]["value"] for node in tree if not node.get("ignored") and node.get("role", {}).get("value") in controls
                and not node.get("name", {}).get("value")]

    def screenshot(self, path):
        """Saves a screenshot as PNG."""
        path.write_bytes(base64.b64decode(self._remote.call("Page.captureScreenshot", session=self._session)["data"]))

    def stop(self):
        try:
            self._remote.call("Target.closeTarget", targetId=self._target)
        except devtools.BrowserError:
            pass

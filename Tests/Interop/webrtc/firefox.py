"""Firefox, headless, over WebDriver BiDi."""

import json
import re
import shutil

import clients
from webrtc import devtools

PREFERENCES = {
    "media.peerconnection.ice.loopback": True,
    "media.peerconnection.ice.default_address_only": False,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.navigator.permission.disabled": True,
    "media.navigator.streams.fake": True,
    "media.navigator.audio.fake_frequency": 440,
    "media.autoplay.default": 0,
    "media.autoplay.blocking_policy": 0,
    "media.gmp-manager.updateEnabled": False,
    "media.gmp-provider.enabled": False,
    "privacy.reduceTimerPrecision": False,
    "network.manage-offline-status": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "app.update.enabled": False,
    "app.normandy.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "dom.min_background_timeout_value": 4,
    "remote.prefs.recommended": True,
}
LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def found():
    return shutil.which("firefox-esr") or shutil.which("firefox")


def literal(value):
    return str(value).lower() if isinstance(value, bool) else repr(value)


class Firefox:
    kind = "firefox"

    def __init__(self, folder, page_url):
        self._page_url = page_url
        profile = folder / "firefox-profile"
        shutil.rmtree(profile, ignore_errors=True)
        profile.mkdir(parents=True)
        (profile / "user.js").write_text("".join(f'user_pref("{k}", {literal(v)});\n' for k, v in PREFERENCES.items()))
        self.process = clients.Process("Firefox", [found(), "--headless", "--no-remote", "--profile", profile,
                                                   "--remote-debugging-port", "0"], folder / "firefox.log",
                                       {"HOME": str(folder), "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        clients.wait_until(lambda: self._address() or not self.process.running, 60, "Firefox's BiDi socket")
        if not self.process.running:
            raise devtools.BrowserError(f"Firefox ended at once: {self.process.tail()}")
        self._remote = devtools.Remote(f"{self._address()}/session")
        self._remote.call("session.new", capabilities={})

    def _address(self):
        match = LISTENING.search(self.process.log.read_text(errors="replace"))
        return match and match[1]

    def page(self):
        return self.visit(self._page_url)

    def visit(self, url):
        context = self._remote.call("browsingContext.create", type="window")["context"]
        page = FirefoxPage(self._remote, context)
        page.visit(url)
        return page

    def stop(self):
        try:
            self._remote.call("browser.close", timeout=8)
        except Exception:  # the page may be gone already; only the process matters
            pass
        self._remote.close()
        self.process.wait(8)
        self.process.stop()


class FirefoxPage:
    kind = "firefox"

    def __init__(self, remote, context):
        self._remote, self._context = remote, context

    def visit(self, url):
        self._remote.call("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def _run(self, text, timeout):
        answer = self._remote.call("script.evaluate", timeout, expression=text, target={"context": self._context}, awaitPromise=True,
                                   userActivation=True)
        if answer["type"] != "success":
            raise devtools.BrowserError(str(answer.get("exceptionDetails", {}).get("text"))[:400])
        return answer["result"].get("value")

    def evaluate(self, text, timeout=20):
        """Returns the value of a script, run as if the user had just touched the page."""
        return json.loads(self._run(f"(async () => JSON.stringify({{value: await ({text}) ?? null}}))()", timeout))["value"]

    def call(self, function, timeout=40, **options):
        return devtools.value(self._run(devtools.expression(function, options), timeout))

    def stop(self):
        try:
            self._remote.call("browsingContext.close", context=self._context)
        except devtools.BrowserError:
            pass

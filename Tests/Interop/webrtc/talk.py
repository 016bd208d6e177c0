"""Cases of the page at `/`: reports. People in Chromium, by its buttons."""

import json
import urllib.request

from webrtc.room import ADMIN_TOKEN, Room, relay


def report(bench, name):
    """The button gives an id, and the operator reads what is kept under it."""
    check = bench.reporter.check
    server = relay(bench)
    ada = Room(bench, "chromium", server.url, "trouble", "Ada")
    check(name, "Ada is in", ada.is_in(), page=ada.look("text", "join-error"))
    code = "document.querySelector('dialog[open] .code')?.textContent ?? ''"
    ada.look("press", "report")
    ada.look("answer", "yes", "The picture <b>froze</b>")
    issue = ada.until(lambda: ada.page.evaluate(code))
    check(name, "the page shows an id", issue, dialog=ada.look("dialog"))

    def kept(path):
        asked = urllib.request.Request(f"{server.url}/v1/admin/issues{path}", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        return urllib.request.urlopen(asked, timeout=10).read().decode()
    check(name, "the operator finds what was typed under it",
          issue in kept("") and "The picture <b>froze</b>" in json.dumps(json.loads(kept(""))), issues=kept("")[:300])
    check(name, "and what the relay knew of whom", json.loads(kept(f"/{issue}"))["user"]["name"] == "Ada", bundle=kept(f"/{issue}")[:300])
    ada.look("answer", "")
    ada.look("press", "report")
    ada.page.evaluate("document.querySelector('dialog[open] button[type=button]').click()")
    check(name, "one that is cancelled reports nothing", ada.until(lambda: not ada.look("dialog")) and not ada.page.evaluate(code))


ALL = [("page: report", report)]
LONG = []

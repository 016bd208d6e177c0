"""Cases of the page at `/`: participants of two apps, with tokens that their backends requested."""

import base64
import json
import urllib.request

from webrtc.room import relay
from webrtc.talk import Talk

APP, SECRET = "shop", "what-the-shop-and-its-relay-alone-know"
PUBLISH = """(async () => { const {testVideo} = await import("/page/client/sources.js"), media = testVideo("a video");
    const answer = await millrace.publish({name: "camera", media}).then(() => "", error => error.code);
    for (const track of media.getTracks()) track.stop();
    return answer; })()"""


def token(server, session, identity, role="host"):
    """Returns a token as an application's backend gets it for one of its users."""
    basic = base64.b64encode(f"{APP}:{SECRET}".encode()).decode()
    asked = urllib.request.Request(f"{server.url}/v1/tokens", json.dumps({"session": session, "identity": identity, "role": role}).encode(),
                                   {"Authorization": f"Basic {basic}", "Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=10) as answer:
        return json.loads(answer.read())["token"]


def apps(bench, name):
    """The same session name in the app of the relay's own tokens and in the shop's."""
    check = bench.reporter.check
    server = relay(bench, extra=("--apps", f"{APP}:{SECRET}"))
    ada = Talk(bench, server.url, "demo", "Ada", role="host")
    zoe = Talk(bench, server.url, "demo", "Zoe", token=token(server, "demo", "Zoe"))
    for one in (ada, zoe):
        check(name, f"{one.name} is in", one.is_in(), page=one.look("why"))
    address = zoe.page.evaluate("location.href")
    check(name, "the token is in no address", "token" not in address, address=address)
    check_refused(bench, name, server, zoe)
    check_subscriber(bench, name, server, zoe)
    ada.publish()
    check(name, "a stream begins", ada.until(lambda: ada.look("seen", "Ada (you)")["stream"]))
    ada.look("say", "chat", "only here", "everybody here")
    check(name, "and something is said", ada.until(lambda: ada.look("chat") == [["You", "only here", ""]]), chat=ada.look("chat"))
    # It is answered after that: events from the other app would have arrived before it.
    zoe.look("say", "chat", "only there", "everybody here")
    check(name, "the other app's session knows nothing of it",
          zoe.until(lambda: zoe.look("chat") == [["You", "only there", ""]]) and zoe.page.evaluate("millrace.state.streams.size") == 0,
          chat=zoe.look("chat"))
    check(name, "nor this one of that", ada.look("chat") == [["You", "only here", ""]] and ada.look("names") == ["Ada (you)"],
          names=ada.look("names"))
    check(name, "they are two sessions", len({one.page.evaluate("millrace.state.session") for one in (ada, zoe)}) == 2)
    check_messages(bench, name, ada, zoe)


def check_refused(bench, name, server, zoe):
    """With an unsuitable token the page shows the reason, at the field for another token."""
    check = bench.reporter.check
    other = token(server, "another", "Eve")
    eve = Talk(bench, server.url, "demo", "Eve", token=other)
    said = eve.until(lambda: "another session" in eve.look("text", "join-error"))
    check(name, "a token of another session is refused", said, text=eve.look("text", "join-error"))
    check(name, "at its field", eve.page.evaluate("[document.activeElement.name, document.activeElement.ariaInvalid].join()") == "token,true",
          focus=eve.page.evaluate("document.activeElement.outerHTML"))
    head, claims, signature = token(server, "demo", "Eve").split(".")
    eve.look("fill", "#join-form", {"token": f"{head}.{other.split('.')[1]}.{signature}"})
    check(name, "and one that was changed", eve.until(lambda: "does not accept the token" in eve.look("text", "join-error")), text=eve.look("text", "join-error"))
    check(name, "no other participant saw the attempt", zoe.look("names") == ["Zoe (you)"], names=zoe.look("names"))
    eve.look("fill", "#join-form", {"token": f"{head}.{claims}.{signature}"})
    check(name, "the right one lets in", eve.is_in(), page=eve.look("why"))
    check(name, "to the others of its app", zoe.until(lambda: zoe.look("names") == ["Eve", "Zoe (you)"]), names=zoe.look("names"))
    eve.look("press", "leave")
    zoe.until(lambda: zoe.look("names") == ["Zoe (you)"])


def check_subscriber(bench, name, server, zoe):
    """A participant who may only subscribe, and has no name."""
    check = bench.reporter.check
    guest = Talk(bench, server.url, "demo", "", token=token(server, "demo", "guest", "subscriber"))
    check(name, "one without a name is in", guest.is_in(), page=guest.look("why"))
    check(name, "and has one for all", zoe.until(lambda: zoe.look("names") == ["Zoe (you)", "null"]), names=zoe.look("names"))
    check(name, "a subscriber is offered nothing to publish", [guest.look("has", what) for what in ("test-video", "camera", "screen")] == [False] * 3)
    refused = guest.page.evaluate(PUBLISH)
    check(name, "and the relay takes nothing of it", refused == "notPermitted", answer=refused)
    guest.look("press", "leave")


def check_messages(bench, name, ada, zoe):
    """User ids belong to one app: a message to a user of one app does not reach the other."""
    check = bench.reporter.check
    for one in (ada, zoe):
        one.look("tab", "messages")
        check(name, f"{one.name} has a user id",
              one.until(lambda one=one: f"“{one.name}”" in one.page.evaluate("document.getElementById('panel-messages').textContent")))
    ada.look("press", "new-message")
    ada.fills({"user": "Zoe"})
    ada.write("of this app")
    stored = ada.until(lambda: ada.look("thread") == [["You", "of this app", ""]])
    check(name, "a user of the same id in the other app receives nothing", stored and
          zoe.page.evaluate("millrace.request('conversations', {count: 10}).then(page => page.conversations.length)") == 0, thread=ada.look("thread"))


ALL = [("page: two apps", apps)]
LONG = []

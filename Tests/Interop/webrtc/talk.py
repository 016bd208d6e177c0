"""Cases of the page at `/`: subsessions, chat, reports. Participants in Chromium, by its buttons."""

import concurrent.futures
import json
import pathlib
import time
import urllib.request

from webrtc.room import ADMIN_TOKEN, Room, relay

PROBE = (pathlib.Path(__file__).parent / "page/talkprobe.js").read_text()
# Tones of the test sources of these names, in Hz; all different.
TONES = {"Ada": 440.0, "Kim": 493.8833, "Leo": 554.3653}
# Decibels; a tone that plays is above -60, the residue of a silent one is below -90.
HEARD = -75


class Talk(Room):
    """A user's page that can also observe rooms and messages."""

    def __init__(self, bench, url, session, name, role="participant", **more):
        super().__init__(bench, "chromium", url, session, name, role=role, **more)
        self.page.evaluate(f"(() => {{ {PROBE} return true }})()")

    def tones(self):
        """Returns the names of the participants whose tones the page plays."""
        levels = self.look("tones", list(TONES.values()))
        return sorted(name for name, level in zip(TONES, levels) if level > HEARD)

    def plays(self, names, timeout=8):
        """Returns the names of the tones once they are `names`; the last ones after that time."""
        wanted, heard = sorted(names), None

        def right():
            nonlocal heard
            heard = self.tones()
            return heard == wanted
        self.until(right, timeout)
        return heard

    def gets_nothing_of(self, name, seconds=0.6, timeout=3):
        """Returns whether no packet of a participant's audio arrives over a time in which dozens would."""
        def still():
            before = self.look("packets", name)
            time.sleep(seconds)
            return self.look("packets", name) == before
        return self.until(still, timeout)

    def write(self, text):
        """Writes in the conversation that is open, or is being opened."""
        self.until(lambda: self.look("say", "messages", text), 4)

    def fills(self, values):
        """Fills in the dialog, once it is open."""
        self.until(lambda: self.look("dialog"), 4)
        self.look("dialogue", values)


def together(*works):
    """Calls the functions at the same time; returns their values."""
    with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
        return [future.result() for future in [pool.submit(work) for work in works]]


def people(bench, name, names=("Ada", "Kim", "Leo"), session="rooms"):
    """Returns a relay, and participants in one session; the first is host."""
    server = relay(bench)
    found = [Talk(bench, server.url, session, who, role="host" if who == names[0] else "participant") for who in names]
    for one in found:
        bench.reporter.check(name, f"{one.name} is in", one.is_in(), page=one.look("why"))
    return server, found


def subsessions(bench, name):
    """Rooms are created, started, joined and closed; a participant receives only the own room."""
    check = bench.reporter.check
    _, (ada, kim, leo) = people(bench, name)
    for one in (ada, kim, leo):
        one.publish()
    check(name, "at first all are seen", all(ada.sees(who) for who in ("Kim", "Leo")), names=ada.look("names"))
    tones = ada.plays(["Kim", "Leo"])
    check(name, "and heard", tones == ["Kim", "Leo"], tones=tones)
    check(name, "received audio is not taken for silence", not ada.gets_nothing_of("Kim", timeout=0))
    for one in (ada, kim, leo):
        one.look("tab", "subsessions")
    check(name, "a participant has no form for rooms", not kim.look("has", "commit-subsessions") and not kim.look("has", "start-subsessions"))
    ada.look("fill", ".subsession-form", {"names": "Tea <b>\nTea <b>"})
    refused = ada.until(lambda: [text for text in ada.look("notices") if "Tea <b>" in text])
    check(name, "names that are there twice are refused, and said", refused and ada.look("has", "commit-subsessions"), notices=ada.look("notices"))
    ada.page.evaluate("document.querySelector('.subsession-form').elements.count.value = 2")
    ada.look("press", "fill-subsessions")
    ada.look("press", "commit-subsessions")
    check(name, "all participants see the rooms", kim.until(lambda: list(kim.look("rooms")) == ["Room 1", "Room 2"]), rooms=kim.look("rooms"))
    check(name, "and cannot enter before they are started", not kim.look("canEnter", "Room 1"))
    # The host's page may learn of the rooms after the others.
    ada.until(lambda: ada.look("has", "start-subsessions"))
    ada.look("press", "start-subsessions")
    check(name, "rooms open",
          kim.until(lambda: kim.look("canEnter", "Room 1")) and "rooms are open" in kim.look("location"), location=kim.look("location"))
    kim.look("enter", "Room 1")
    leo.look("enter", "Room 2")
    check(name, "the page names the own room",
          kim.until(lambda: kim.look("location") == "You are in Room 1") and leo.until(lambda: leo.look("location") == "You are in Room 2"),
          locations=[kim.look("location"), leo.look("location")])
    wanted = {"Main session": "Ada (you)", "Room 1": "Kim", "Room 2": "Leo"}
    check(name, "the lists of users follow", ada.until(lambda: ada.look("rooms") == wanted), rooms=ada.look("rooms"))
    apart(bench, name, ada, kim, leo)
    ada.look("enter", "Room 1")
    check(name, "a participant who enters is seen", kim.sees("Ada") and kim.look("names") == ["Ada", "Kim (you)"], names=kim.look("names"))
    tones = together(lambda: kim.plays(["Ada"]), lambda: ada.plays(["Kim"]), lambda: leo.plays([]))
    check(name, "and heard", tones[:2] == [["Ada"], ["Kim"]], tones=tones)
    check(name, "but not in the other room",
          tones[2] == [] and leo.gets_nothing_of("Ada") and leo.look("names") == ["Leo (you)"], names=leo.look("names"))
    leo.look("press", "return")
    check(name, "one returns by oneself", leo.until(lambda: "main session" in leo.look("location")), location=leo.look("location"))
    check(name, "every control has a name", ada.page.unnamed() == [], without=ada.page.unnamed())
    save_screenshot(bench, ada)
    ada.look("press", "stop-subsessions")
    ada.look("answer", "yes")
    check(name, "closing brings all back",
          ada.until(lambda: not any(one.look("location") for one in (ada, kim, leo))), locations=[one.look("location") for one in (ada, kim, leo)])
    check(name, "and all are seen again", all(leo.sees(who) for who in ("Ada", "Kim")), names=leo.look("names"))
    tones = leo.plays(["Ada", "Kim"])
    check(name, "and heard again", tones == ["Ada", "Kim"], tones=tones)
    ada.look("press", "withdraw-subsessions")
    check(name, "withdrawn rooms are gone for all", kim.until(lambda: kim.look("rooms") == {}), rooms=kim.look("rooms"))
    check(name, "the page's policy refused it nothing",
          [one.look("violations") for one in (ada, kim, leo)] == [[], [], []], refused=ada.look("violations"))


def apart(bench, name, *rooms):
    """Checks that each participant is alone in its room."""
    check = bench.reporter.check
    heard = together(*(lambda one=one: one.plays([]) for one in rooms))
    for one, tones in zip(rooms, heard):
        check(name, f"{one.name} sees itself alone", one.until(lambda: one.look("names") == [f"{one.name} (you)"]), names=one.look("names"))
        check(name, f"{one.name} hears no other participant", tones == [], tones=tones)
        silent = together(*(lambda other=other: one.gets_nothing_of(other.name) for other in rooms if other is not one))
        check(name, f"nothing of the others comes to {one.name}", all(silent))


def save_screenshot(bench, room):
    """Saves a screenshot for the run's artefacts and for the documentation."""
    room.page.evaluate("for (const one of document.querySelectorAll('.notice .quiet')) one.click()")
    time.sleep(0.5)
    room.page.screenshot(bench.current / "page.png")


def start(ada, others):
    """Opens two rooms; `others` by name of the room."""
    for one in (ada, *others.values()):
        one.look("tab", "subsessions")
    ada.look("fill", ".subsession-form", {"names": "Tea\nCoffee"})
    ada.until(lambda: ada.look("press", "start-subsessions"))
    for room, one in others.items():
        one.until(lambda: one.look("canEnter", room))
        one.look("enter", room)
        one.until(lambda: room in one.look("location"))


def help_and_broadcast(bench, name):
    check = bench.reporter.check
    _, (ada, kim, leo) = people(bench, name)
    start(ada, {"Tea": kim, "Coffee": leo})
    ada.look("fill", ".broadcast", {"text": "Five <i>minutes</i> left"})
    said = "Ada to all rooms: Five <i>minutes</i> left"
    check(name, "a broadcast reaches every room, as text",
          all(one.until(lambda: said in one.look("notices")) for one in (kim, leo)), notices=[kim.look("notices"), leo.look("notices")])
    check(name, "a participant can send none",
          not kim.look("has", "broadcast") and kim.page.evaluate("getComputedStyle(document.querySelector('.broadcast')).display") == "none")
    kim.look("press", "ask-help")
    check(name, "the host is asked for help",
          ada.until(lambda: "Kim needs help in Tea" in ada.look("notices")) and ada.look("has", "accept-help"), notices=ada.look("notices"))
    check(name, "the page shows the open request", kim.page.evaluate("document.querySelector('[data-action=ask-help]').disabled"))
    ada.look("press", "ignore-help")
    check(name, "the participant is told if the request is ignored",
          kim.until(lambda: any("No manager is available" in text for text in kim.look("notices"))), notices=kim.look("notices"))
    check(name, "and the request is gone", ada.until(lambda: not ada.look("has", "accept-help")))
    leo.look("press", "ask-help")
    ada.until(lambda: ada.look("has", "accept-help"))
    ada.look("press", "accept-help")
    check(name, "the host comes",
          leo.until(lambda: "Ada" in leo.look("names")) and ada.until(lambda: ada.look("location") == "You are in Coffee"),
          names=leo.look("names"), location=ada.look("location"))
    check(name, "the participant is told that help comes",
          leo.until(lambda: any("A manager comes" in text for text in leo.look("notices"))), notices=leo.look("notices"))
    leo.look("press", "ask-help")
    check(name, "a host in the room cannot be asked",
          leo.until(lambda: any("is in this room already" in text for text in leo.look("notices"))), notices=leo.look("notices"))
    check(name, "and is not", not ada.look("has", "accept-help"))
    kim.look("press", "ask-help")
    check(name, "nor a host who helps others",
          kim.until(lambda: any("All managers are busy" in text for text in kim.look("notices"))), notices=kim.look("notices"))
    check(name, "a host in a room broadcasts nothing", ada.page.evaluate("document.querySelector('.broadcast button').disabled"))


def chat(bench, name):
    check = bench.reporter.check
    _, (ada, kim, leo) = people(bench, name)
    ada.look("say", "chat", "good <b>morning</b>", "everybody here")
    wanted = [["Ada", "good <b>morning</b>", ""]]
    check(name, "all read it, as text", all(one.until(lambda: one.look("chat") == wanted) for one in (kim, leo)), chat=kim.look("chat"))
    check(name, "its sender once", ada.until(lambda: ada.look("chat") == [["You", "good <b>morning</b>", ""]]), chat=ada.look("chat"))
    check(name, "a closed chat shows the number of new messages",
          kim.look("count", "chat") == 1 and ada.look("count", "chat") == 0, counts=[kim.look("count", "chat"), ada.look("count", "chat")])
    kim.look("tab", "chat")
    check(name, "until it looks", kim.until(lambda: kim.look("count", "chat") == 0))
    kim.look("say", "chat", "to you alone", "Ada")
    check(name, "one is told alone",
          ada.until(lambda: ada.look("chat")[-1] == ["Kim", "to you alone", "to you"]) and kim.until(lambda: kim.look("chat")[-1] == ["You",
              "to you alone", "to Ada"]),
          chat=ada.look("chat"))
    start(ada, {"Tea": kim})
    kim.look("say", "chat", "is anybody here?", "everybody here")
    leo.look("say", "chat", "still in the hall", "everybody here")
    check(name, "the main session goes on",
          ada.until(lambda: ada.look("chat")[-1] == ["Leo", "still in the hall", ""]), chat=ada.look("chat"))
    check(name, "rooms are apart", kim.until(lambda: kim.look("chat")[-2:] == [["--", "Tea"], ["You", "is anybody here?", ""]]) and
          not any("anybody" in line[1] for one in (ada, leo) for line in one.look("chat")) and
          not any("hall" in line[1] for line in kim.look("chat")), chat=kim.look("chat"))
    check(name, "those in other rooms are no receivers",
          ada.until(lambda: ada.look("receivers") == ["everybody here", "Leo"]) and kim.look("receivers") == ["everybody here"],
          receivers=[ada.look("receivers"), kim.look("receivers")])
    ada.look("tab", "chat")
    ada.page.evaluate("document.querySelector('#panel-chat input[type=checkbox]').click()")
    check(name, "the host switches it off for all", all(one.until(lambda: not one.look("mayWrite", "chat")) for one in (kim, leo)))
    refused = leo.page.evaluate("millrace.request('chat', {text: 'and yet'}).then(() => '', error => error.code)")
    check(name, "at the relay", refused == "chatDisabled", answer=refused)
    ada.page.evaluate("document.querySelector('#panel-chat input[type=checkbox]').click()")
    check(name, "and on again", leo.until(lambda: leo.look("mayWrite", "chat")))
    check(name, "the chat is no conversation", ada.look("conversations") == {})


def report(bench, name):
    """The button returns an id, and the operator reads the report under it, and then restarts the relay."""
    check = bench.reporter.check
    server, (ada,) = people(bench, name, ("Ada",), "trouble")
    ada.look("press", "report")
    ada.look("answer", "yes", "The video <b>froze</b>")
    issue = ada.until(lambda: ada.look("code"))
    check(name, "the page shows an id", issue, dialog=ada.look("dialog"))

    def kept(path):
        asked = urllib.request.Request(f"{server.url}/v1/admin/issues{path}", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        return urllib.request.urlopen(asked, timeout=10).read().decode()
    check(name, "the operator finds the typed text under it",
          issue in kept("") and "The video <b>froze</b>" in json.dumps(json.loads(kept(""))), issues=kept("")[:300])
    check(name, "and the relay's data of the participant", json.loads(kept(f"/{issue}"))["user"]["name"] == "Ada", bundle=kept(f"/{issue}")[:300])
    ada.look("answer", "")
    ada.look("press", "report")
    ada.page.evaluate("document.querySelector('dialog[open] button[type=button]').click()")
    check(name, "one that is cancelled reports nothing", ada.until(lambda: not ada.look("dialog")) and not ada.look("code"))
    drain = urllib.request.Request(f"{server.url}/v1/admin/drain", b'{"seconds": 60}',
                                   {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"})
    urllib.request.urlopen(drain, timeout=10).close()
    check(name, "the page announces a restart of the relay",
          ada.until(lambda: any("The relay restarts within" in text for text in ada.look("notices"))), notices=ada.look("notices"))


ALL = [
    ("page: subsessions", subsessions),
    ("page: help and broadcast", help_and_broadcast),
    ("page: chat", chat),
    ("page: report", report),
]
LONG = []

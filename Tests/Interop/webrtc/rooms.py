"""Cases of the page at `/`: participants in browsers, who see, hear and moderate each other by its buttons."""

import functools
import re
import time

from webrtc.cut import Cut
from webrtc.room import Room, detour, is_colour_of, relay

# Unit tests of the page, and those of them whose names begin with this text.
UNITS, ENCRYPTION, ENCRYPTION_UNITS = 61, "encryption: ", 13


def modules(bench, name, kind="chromium", only="", count=UNITS):
    """The page's client modules against a relay that is simulated in the browser."""
    server = bench.relay()
    client = bench.client(kind)
    results = client.call("units", timeout=90, base=f"{server.url}/page", only=only)
    bench.reporter.check(name, "all of them ran", len(results) >= count, units=len(results))
    for result in results:
        bench.reporter.check(name, result["name"], not result["error"], **({"error": result["error"]} if result["error"] else {}))


def two(bench, name, kinds=("chromium", "chromium")):
    """Two participants who publish test video, the first of them host."""
    server = relay(bench)
    ada = Room(bench, kinds[0], server.url, "Demo", "Ada")
    bench.reporter.check(name, "the first is in", ada.is_in(), page=ada.look("why"))
    bob = Room(bench, kinds[1], server.url, "demo", "Bob", role="participant")
    bench.reporter.check(name, "the second is in, by another spelling of the session's name", bob.is_in(), page=bob.look("text", "join-error"))
    for room in (ada, bob):
        room.publish()
    return server, ada, bob


def see_and_hear(bench, name):
    check = bench.reporter.check
    _, ada, bob = two(bench, name)
    for room, other in ((ada, "Bob"), (bob, "Ada")):
        seen = room.sees(other)
        check(name, f"{room.name} sees {other}'s video and no other", seen and seen["isShown"], seen=seen)
        rate = room.rate(other)
        check(name, f"{room.name} sees {other} move", rate > 8, frames_a_second=round(rate, 1))
        check(name, f"{room.name} hears {other}", room.hears(other), level=round(room.level(other), 4))
        check(name, f"{room.name} sees the active speaker", room.until(lambda: room.look("seen", other)["isSpeaking"]))
        own = room.look("seen", f"{room.name} (you)")
        check(name, f"{room.name} sees itself", own and own["width"] > 0, own=own)
    # Proves that the other checks can fail.
    check(name, "a speaker is not taken for silent, nor one video for another", not ada.is_silent("Bob", 0) and
          not is_colour_of("Ada", ada.look("seen", "Bob")["hue"]))
    check(name, "roles are shown", [bob.look("seen", "Ada")["role"], bob.look("seen", "Bob (you)")["role"]] == ["Host", ""],
          roles=[bob.look("seen", n)["role"] for n in ("Ada", "Bob (you)")])
    check(name, "a participant has no button for moderation", not bob.look("has", "session") and ada.look("has", "session"))
    check_statistics(bench, name, ada)
    check_signals(bench, name, ada, bob)
    check_own_mute(bench, name, ada, bob)
    check_turned_off(bench, name, ada, bob)
    check(name, "every control has a name", ada.page.unnamed() == [], without=ada.page.unnamed())
    check(name, "the page's policy refused it nothing", [room.look("violations") for room in (ada, bob)] == [[], []], refused=ada.look("violations"))
    bob.look("press", "test-video")
    check(name, "an unpublished stream is gone for the other", ada.until(lambda: ada.look("seen", "Bob")["stream"] == ""))
    ada.look("press", "leave")
    check(name, "a participant that leaves is back at the form", ada.until(lambda: ada.look("text", "join")))
    check(name, "and gone for the other", bob.until(lambda: bob.look("names") == ["Bob (you)"]), names=bob.look("names"))


def check_statistics(bench, name, room):
    room.look("tab", "statistics")
    cards = room.until(lambda: room.page.evaluate("[...document.querySelectorAll('.track')].map(one => [one.dataset.direction, one.dataset.kind, "
                                                  "one.querySelector('strong').textContent, one.querySelector('dl').textContent])"))
    kinds = sorted(card[:2] for card in cards)
    bench.reporter.check(name, "statistics of four tracks", kinds == [["in", "audio"], ["in", "video"], ["out", "audio"], ["out", "video"]], cards=cards)

    def numbers():
        return room.page.evaluate("[...document.querySelectorAll('.charts .chart strong')].map(one => parseFloat(one.textContent))")
    received = room.until(lambda: all(value and value > 0 for value in (numbers()[0], numbers()[1], numbers()[3])))
    bench.reporter.check(name, "received, sent and round trip are measured", received, numbers=numbers())
    facts = room.until(lambda: "fps" in room.look("seen", "Bob")["facts"] and room.look("seen", "Bob")["facts"])
    bench.reporter.check(name, "a tile says size and rate, and no codes of layers", facts and re.fullmatch(r"\d+×\d+ · \d+ fps", facts), facts=facts)
    room.look("tab", "people")


def check_signals(bench, name, ada, bob):
    ada.look("fill", ".signal-form", {"type": "chat~1", "data": "<b>good morning</b>", "to": ""})
    wanted = ["chat~1", "<b>good morning</b>"]
    both = [room.until(lambda: [line[1:] for line in room.look("signals")] == [wanted]) for room in (ada, bob)]
    bench.reporter.check(name, "a signal to all reaches all, the sender too, as text", all(both), signals=bob.look("signals"))
    bob.look("fill", ".signal-form", {"type": "note", "data": "to myself", "to": bob.page.evaluate("millrace.state.self")})
    bob.until(lambda: len(bob.look("signals")) == 2)
    bench.reporter.check(name, "a signal to one reaches that one alone", [len(bob.look("signals")), len(ada.look("signals"))] == [2, 1])
    bob.look("fill", ".signal-form", {"type": "not allowed", "data": "", "to": ""})
    said = bob.until(lambda: any("type" in text.lower() for text in bob.look("notices")))
    bench.reporter.check(name, "a wrong type is refused, and said", said, notices=bob.look("notices"))


def check_own_mute(bench, name, ada, bob):
    bob.look("press", "audio")
    bench.reporter.check(name, "a participant that mutes itself is shown as muted", ada.until(lambda: ada.look("seen", "Bob")["isMuted"]))
    bench.reporter.check(name, "and silent", ada.is_silent("Bob"))
    bob.look("press", "audio")
    bench.reporter.check(name, "and heard again", ada.hears("Bob") and not ada.look("seen", "Bob")["isMuted"])
    bob.look("press", "video")
    bench.reporter.check(name, "stopped video is not shown", ada.until(lambda: not ada.look("seen", "Bob")["isShown"]))
    bob.look("press", "video")
    bench.reporter.check(name, "and shown again", ada.sees("Bob") and ada.until(lambda: ada.look("seen", "Bob")["isShown"]))


def check_turned_off(bench, name, ada, bob):
    """Audio and video of another participant, off and on again for oneself only."""
    check = bench.reporter.check
    ada.look("menu", "Bob", "off-audio")
    check(name, "audio that is turned off locally is not received", ada.is_silent("Bob"))
    check(name, "and is not muted for others", not ada.look("seen", "Bob")["isMuted"] and bob.look("person", "Bob")["audio"] == "on")
    ada.look("menu", "Bob", "off-audio")
    check(name, "and is heard again when one likes", ada.hears("Bob"))
    ada.look("menu", "Bob", "off-video")
    check(name, "video that is turned off locally is not shown", ada.until(lambda: not ada.look("seen", "Bob")["isShown"]))
    check(name, "nor received", ada.until(lambda: ada.rate("Bob", 0.5) == 0))
    ada.look("menu", "Bob", "off-video")
    check(name, "until one wants it again", ada.sees("Bob") and ada.until(lambda: ada.look("seen", "Bob")["isShown"]))


def force_mute(bench, name):
    check = bench.reporter.check
    server, ada, bob = two(bench, name)
    check(name, "they hear each other at first", ada.hears("Bob") and bob.hears("Ada"))
    ada.look("moderate", "force-mute-all")
    check(name, "force mute silences both", ada.is_silent("Bob") and bob.is_silent("Ada"))
    # A client that ignores the mute: its track continues.
    bob.page.evaluate("millrace.publication('camera').track('audio').enabled = true")
    before = server.metrics().get("millrace_packets_muted_total", 0)
    check(name, "also if the client continues to send", ada.is_silent("Bob"))
    dropped = server.metrics().get("millrace_packets_muted_total", 0) - before
    check(name, "at the relay, which drops the packets", dropped > 20, packets=dropped)
    check(name, "and shown to all", ada.look("seen", "Bob")["isMuted"] and bob.look("seen", "Ada")["isMuted"] and bob.look("text", "mute-state"))
    eve = Room(bench, "chromium", server.url, "demo", "Eve", role="participant")
    eve.is_in()
    check(name, "a late joiner is told", eve.look("text", "mute-state") != "")
    eve.publish()
    check(name, "and starts muted", ada.sees("Eve") and ada.look("seen", "Eve")["isMuted"] and ada.is_silent("Eve"))
    eve.look("press", "audio")
    check(name, "until it unmutes itself", ada.hears("Eve") and not ada.look("seen", "Eve")["isMuted"])
    ada.look("moderate", "disable-force-mute")
    check(name, "the end of it is shown", eve.until(lambda: eve.look("text", "mute-state") == ""))
    check(name, "and leaves participants muted", ada.is_silent("Bob"))
    eve.look("press", "test-video")
    ada.until(lambda: ada.look("seen", "Eve")["stream"] == "")
    eve.publish()
    check(name, "a stream that starts afterwards starts unmuted", ada.sees("Eve") and ada.hears("Eve") and not ada.look("seen", "Eve")["isMuted"])
    ada.look("menu", "Bob", "ask-unmute")
    check(name, "a participant that is asked to unmute decides", bob.until(lambda: bob.look("has", "accept-unmute")) and ada.look("seen", "Bob")["isMuted"])
    bob.look("press", "accept-unmute")
    check(name, "and is heard again once it agrees", ada.hears("Bob") and not ada.look("seen", "Bob")["isMuted"])
    ada.look("press", "audio")
    eve.hears("Ada")
    ada.look("moderate", "force-mute-others")
    check(name, "all others are muted", ada.is_silent("Bob") and ada.is_silent("Eve") and ada.look("seen", "Eve")["isMuted"])
    check(name, "and not the excluded participant", bob.hears("Ada") and not bob.look("seen", "Ada")["isMuted"])
    ada.look("moderate", "disable-force-mute")
    for room in (bob, eve):
        room.look("press", "audio")
    check(name, "they are heard again", ada.hears("Bob") and ada.hears("Eve"))
    ada.look("menu", "Bob", "force-mute-stream")
    check(name, "one stream is muted", ada.is_silent("Bob") and ada.look("seen", "Bob")["isMuted"])
    check(name, "its publisher is told", bob.until(lambda: any("You are muted" in text for text in bob.look("notices"))), notices=bob.look("notices"))
    check(name, "the others go on", ada.hears("Eve") and not ada.look("seen", "Eve")["isMuted"] and not eve.look("text", "mute-state"))


def roles(bench, name):
    check = bench.reporter.check
    server = relay(bench)
    rooms = {}
    for who, role in (("Ada", "host"), ("Bob", "host"), ("Eve", "participant")):
        rooms[who] = Room(bench, "chromium", server.url, "roles", who, role=role)
        check(name, f"{who} is in", rooms[who].is_in(), page=rooms[who].look("text", "join-error"))
    ada, bob, eve = rooms["Ada"], rooms["Bob"], rooms["Eve"]

    def badge(room, who):
        return (room.look("person", who) or {}).get("role")
    check(name, "the first is host", [badge(eve, who) for who in rooms] == ["host", "participant", "participant"])
    # Messages are available a moment after the session.
    entries = eve.until(lambda: eve.look("menu", "Ada", ""))
    check(name, "a participant may rename itself, and others it may write to", [eve.look("menu", "Eve", ""), entries] == [["rename"], ["write"]],
          entries=entries)
    check(name, "and the relay says so too", eve.refusal("rename", user=ident(eve, "Ada"), name="Fool") == "notPermitted")
    check_keyboard(bench, name, ada)
    check_names(bench, name, ada, eve)
    ada.look("menu", eve.name, "rename")
    ada.look("answer", "yes", "<i>Eva</i>")
    check(name, "the host renames, and a name is text", eve.until(lambda: eve.look("names") and "<i>Eva</i> (you)" in eve.look("names")), names=eve.look("names"))
    eve.name = "<i>Eva</i>"
    ada.look("menu", "Bob", "make-manager")
    check(name, "a manager is made", eve.until(lambda: badge(eve, "Bob") == "manager"))
    check(name, "a manager may not remove the host", "remove" not in bob.look("menu", "Ada", "") and bob.refusal("removeUser", user=ident(bob, "Ada")) == "notPermitted")
    share_lock(bench, name, bob, eve)
    ada.look("menu", "Bob", "revoke-manager")
    check(name, "a manager whose role ends is told",
          bob.until(lambda: "You are no longer a manager" in bob.look("notices") and badge(bob, "Bob") == "participant"), notices=bob.look("notices"))
    ada.until(lambda: badge(ada, "Bob") == "participant")
    ada.look("menu", "Bob", "make-manager")
    bob.until(lambda: badge(bob, "Bob") == "manager")
    ada.page.evaluate("!!millrace.conversations.send({type: 0, id: 'Eve'}, 'hello')")
    check(name, "a message from outside the session asks to be read", eve.until(lambda: eve.look("has", "read-message")), notices=eve.look("notices"))
    bob.look("menu", eve.name, "remove")
    check(name, "removal is asked about first", eve.name in bob.look("dialog"))
    bob.look("answer", "yes")
    check(name, "a removed participant is told", "removed" in (eve.has_left() or ""), text=eve.look("text", "join-error"))
    check(name, "and asked nothing any more", not eve.look("has", "read-message"), notices=eve.look("notices"))
    check(name, "and gone for all", ada.until(lambda: ada.look("names") == ["Ada (you)", "Bob"]), names=ada.look("names"))
    ada.look("press", "leave")
    check(name, "the host's role passes on", bob.until(lambda: badge(bob, "Bob") == "host" and "You are host now" in bob.look("notices")))
    bob.look("moderate", "end-for-all")
    bob.look("answer", "yes")
    check(name, "the host ends the session for all", "ended" in (bob.has_left() or "") or bob.until(lambda: bob.look("text", "join")))


def check_keyboard(bench, name, room):
    """Menus and tabs by keyboard only."""
    room.page.evaluate("document.querySelector('.people li[data-name=Eve] button').focus()")
    room.page.key("Enter")
    first = room.page.evaluate("document.activeElement.dataset.action")
    room.page.key("ArrowDown")
    second = room.page.evaluate("document.activeElement.dataset.action")
    room.page.key("Escape")
    back = room.page.evaluate("document.activeElement.getAttribute('aria-label')")
    bench.reporter.check(name, "a menu opens, goes on and closes by keys", [first, second, back] == ["write", "rename", "More for Eve"],
                         focus=[first, second, back])
    room.page.evaluate("document.getElementById('tab-people').focus()")
    room.page.key("ArrowRight")
    bench.reporter.check(name, "and so do tabs", room.page.evaluate("document.activeElement.id") == "tab-subsessions" and
                         room.page.evaluate("!document.getElementById('panel-subsessions').hidden"))
    room.look("tab", "people")


def check_names(bench, name, host, other):
    """Names that are unsuitable for display are replaced, in the same way for all."""
    for typed, wanted, what in (("é" * 205, "é" * 200, "a name is cut at 200 characters"), ("", "null", "and one that is empty has a word for it")):
        host.look("menu", other.name, "rename")
        host.look("answer", "yes", typed)
        known = other.until(lambda: f"{wanted} (you)" in other.look("names")) and host.until(lambda: host.look("person", wanted))
        bench.reporter.check(name, what, known, names=other.look("names"))
        other.name = wanted


def share_lock(bench, name, manager, sharer):
    check = bench.reporter.check
    sharer.page.evaluate("""(async () => { const {testVideo} = await import("/page/client/sources.js");
        await millrace.publish({name: "screen", videoType: "screen", media: testVideo("a screen")}); })()""")
    tile = f"{sharer.name}: screen"
    shown = manager.until(lambda: (manager.look("seen", tile) or {}).get("isLarge") and manager.look("seen", tile)["isShown"])
    check(name, "a shared screen is shown large", shown, seen=manager.look("seen", tile))
    manager.look("moderate", "lock-share")
    check(name, "the share lock ends it for others", manager.until(lambda: manager.look("seen", tile) is None))
    check(name, "and is shown", sharer.until(lambda: sharer.look("text", "lock-state")))
    again = sharer.page.evaluate("""(async () => { const {testVideo} = await import("/page/client/sources.js");
        return millrace.publish({name: "screen", videoType: "screen", media: testVideo("a screen")}).then(() => "", error => error.code); })()""")
    check(name, "nothing is shared under it", again == "shareLocked", answer=again)
    manager.look("moderate", "unlock-share")
    check(name, "until it is lifted", sharer.until(lambda: not sharer.look("text", "lock-state")))


def ident(room, who):
    return room.page.evaluate(f"[...millrace.state.users.values()].find(user => user.name === {who!r})?.id")


def password(bench, name):
    check = bench.reporter.check
    server = relay(bench)
    ada = Room(bench, "chromium", server.url, "locked", "Ada", password="Sesame 1")
    check(name, "the first sets the password", ada.is_in(), page=ada.look("text", "join-error"))
    bob = Room(bench, "chromium", server.url, "locked", "Bob", role="participant")
    check(name, "the second is asked for it", bob.until(lambda: "has a password" in bob.look("text", "join-error")), text=bob.look("text", "join-error"))
    bob.submit("sesame 1")
    check(name, "a wrong one is told, beside the field", bob.until(lambda: "not the password" in bob.look("text", "join-error")) and
          bob.page.evaluate("document.activeElement.name") == "password", text=bob.look("text", "join-error"))
    check(name, "it can be taken back", bob.look("text", "join-cancel"))
    bob.page.evaluate("document.getElementById('join-cancel').click()")
    check(name, "and is forgotten then", bob.until(lambda: not bob.look("text", "join-cancel") and not bob.look("text", "join-error")),
          text=bob.look("text", "join-error"))
    check(name, "no other participant saw the attempt", ada.look("names") == ["Ada (you)"])
    bob.submit("Sesame 1")
    check(name, "the right one lets in", bob.is_in(), page=bob.look("text", "join-error"))
    check(name, "and is in no address", "esame" not in bob.page.evaluate("location.href + document.referrer"))


def cut(bench, name):
    """Signalling is cut for some seconds; media uses another path, and continues. Then media comes from another address."""
    check = bench.reporter.check
    server = relay(bench)
    way, media = bench.keep(Cut(server.port)), detour(bench, server)
    ada = Room(bench, "chromium", server.url, "cut", "Ada")
    bob = Room(bench, "chromium", way.url, "cut", "Bob", role="participant", way=media)
    for room in (ada, bob):
        check(name, f"{room.name} is in", room.is_in(), page=room.look("text", "join-error"))
        room.publish()
    check(name, "they see each other", ada.sees("Bob") and bob.sees("Ada"))
    before = bob.page.evaluate("[millrace.state.self, ...millrace.state.streams.keys()].join()")
    way.close()
    check(name, "the page says that it reconnects", bob.until(lambda: bob.look("status") == "reconnecting" and "Reconnecting" in bob.look("text", "banner")),
          banner=bob.look("text", "banner"))
    check(name, "others see it as lost, not gone", ada.until(lambda: ada.look("seen", "Bob") and ada.look("seen", "Bob")["note"] == "Connection lost"),
          seen=ada.look("seen", "Bob"))
    for number in range(3):
        ada.look("fill", ".signal-form", {"type": "while-away", "data": str(number), "to": ""})
    bob.look("fill", ".signal-form", {"type": "from-afar", "data": "queued", "to": ""})
    time.sleep(2)
    way.open()
    check(name, "it is back by itself", bob.until(lambda: bob.look("status") == "connected", 10))
    check(name, "as the same connection with the same streams", bob.page.evaluate("[millrace.state.self, ...millrace.state.streams.keys()].join()") == before)
    check(name, "the notice is gone, for the others too", not bob.look("text", "banner") and ada.until(lambda: ada.look("seen", "Bob")["note"] == ""))
    seen = bob.until(lambda: [line[2] for line in bob.look("signals") if line[1] == "while-away"] == ["0", "1", "2"])
    check(name, "missed signals arrive, once and in order", seen, signals=bob.look("signals"))
    sent = ada.until(lambda: [line[2] for line in ada.look("signals") if line[1] == "from-afar"] == ["queued"])
    check(name, "signals of the time offline are sent", sent, signals=ada.look("signals"))
    check(name, "video and audio continue", ada.sees("Bob") and bob.sees("Ada") and ada.hears("Bob"))
    check_moved(bench, name, media, ada, bob)


def check_moved(bench, name, media, ada, bob):
    """Bob's address changes, as behind a NAT that forgets. The relay detects it without being told."""
    check = bench.reporter.check
    bob.page.evaluate("window.paths = []; millrace.addEventListener('path', ({detail}) => paths.push(detail.state)); true")
    media.move()
    # Packets that the relay sends to the previous address are not counted.
    before = media.count["down"]
    check(name, "the relay finds a new address", bob.until(lambda: media.count["down"] - before > 100), datagrams=media.count["down"] - before)
    check(name, "video and audio use it in both directions", ada.sees("Bob") and ada.hears("Bob") and bob.sees("Ada") and bob.hears("Ada"),
          seen=ada.look("seen", "Bob"))
    states = "[millrace.publisher, millrace.subscriber].map(one => one.connection.connectionState).join()"
    check(name, "over the same peer connections", bob.until(lambda: bob.page.evaluate(states) == "connected,connected") and
          "failed" not in bob.page.evaluate("paths"), states=bob.page.evaluate("paths"))


def restarted(bench, name):
    """The relay is killed and starts again: all clients reconnect without user action."""
    check = bench.reporter.check
    server, ada, bob = two(bench, name)
    check(name, "they see each other", ada.sees("Bob") and bob.sees("Ada"))
    server.kill()
    check(name, "both notice", ada.until(lambda: ada.look("status") == "reconnecting") and bob.until(lambda: bob.look("status") == "reconnecting"))
    relay(bench, port=server.port, webrtc_port=server.webrtc_port, name="relay-again")
    check(name, "both are back by themselves", ada.is_in(15) and bob.is_in(15))
    check(name, "and see and hear each other again", ada.sees("Bob", 15) and bob.sees("Ada", 15) and ada.hears("Bob"),
          ada=ada.look("names"), bob=bob.look("names"))


def firefox(bench, name):
    check = bench.reporter.check
    _, ada, fox = two(bench, name, ("chromium", "firefox"))
    seen = fox.sees("Ada", 20)
    check(name, "Firefox sees the video of Chromium", seen and seen["isShown"], seen=fox.look("seen", "Ada"))
    check(name, "and hears it", fox.until(lambda: (fox.look("heard", "Ada") or {}).get("packets", 0) > 50), heard=fox.look("heard", "Ada"))
    seen = ada.sees("Bob", 20)
    check(name, "Chromium sees the video of Firefox", seen and seen["isShown"], seen=ada.look("seen", "Bob"))
    check(name, "nothing of the page was refused by its own policy", fox.page.evaluate("document.styleSheets.length") == 3)


ALL = [
    ("page: modules", modules),
    ("page: modules of encryption, Firefox", functools.partial(modules, kind="firefox", only=ENCRYPTION, count=ENCRYPTION_UNITS)),
    ("page: see and hear", see_and_hear),
    ("page: force mute", force_mute),
    ("page: roles", roles),
    ("page: password", password),
    ("page: connection cut", cut),
    ("page: relay restarted", restarted),
    ("page: Firefox", firefox),
]
LONG = []

"""Cases of the page at `/`: names and sizes, its layout on small and large screens, and each feature by its buttons."""

import json
import time

from webrtc.cut import Cut
from webrtc.room import Room, detour, relay


def names(bench, name):
    """A user and a session with spaces and a plus in their names."""
    check = bench.reporter.check
    server = relay(bench)
    for who, session in (("Ada Lovelace", "Support 17"), ("Bob+Eve & Kim", "a+b")):
        room = Room(bench, "chromium", server.url, session, who)
        check(name, f"{who} is in {session}", room.is_in(), page=room.look("why"))
        known = room.page.evaluate("[millrace.state.sessionName, millrace.state.me.name, millrace.state.me.identity]")
        check(name, "the relay knows both names, and the user id, as they were typed", known == [session.lower(), who, who], known=known)


def publish(room, width, height):
    """Publishes a test video of that size as the camera."""
    room.page.evaluate(f"""(async () => {{ const {{testVideo}} = await import("/page/client/sources.js");
        await millrace.publish({{name: "camera", media: testVideo({json.dumps(room.name)}, {{width: {width}, height: {height}}})}}); }})()""")


def sizes(bench, name):
    """The largest encoding of a small source has the full size of the source."""
    server = relay(bench)
    eyes = Room(bench, "chromium", server.url, "sizes", "Eyes", role="host")
    bench.reporter.check(name, "the subscriber is in", eyes.is_in(), page=eyes.look("why"))
    for who, width, height in (("Ada", 640, 480), ("Bob", 640, 360), ("Kim", 320, 240)):
        room = Room(bench, "chromium", server.url, "sizes", who, role="participant")
        room.is_in()
        publish(room, width, height)
        shown = eyes.until(lambda: (eyes.look("seen", who) or {}).get("width") == width, 15)
        bench.reporter.check(name, f"{width}x{height} arrives in full size", shown, seen=eyes.look("seen", who))
        room.stop()


SCREENS = ((1440, 900, False), (390, 844, True))
LONG_NAME = "Wilhelmina Montgomery-Wu"


def at_sizes(room, work, screens=SCREENS):
    """Calls `work(label)` with the page at each size of the screen."""
    for width, height, touch in screens:
        room.page.size(width, height, touch=touch)
        room.until(lambda: room.page.evaluate("innerWidth") == width, 3)
        work(f"{width}x{height}")


def layout(bench, name):
    """Nothing is cut off or covered, from a desktop to a phone and at 320 px, which is 1280 px at a zoom of 400 %."""
    check = bench.reporter.check
    server = relay(bench)
    rooms = [Room(bench, "chromium", server.url, "layout", who, role=role)
             for who, role in ((LONG_NAME, "host"), ("Bob", "participant"), ("Kim", "participant"))]
    ada, bob, kim = rooms
    for room in rooms:
        check(name, f"{room.name} is in", room.is_in(), page=room.look("why"))
    ada.publish()
    ada.until(lambda: ada.look("has", "audio"))
    bob.publish()
    ada.sees("Bob")

    def look(size):
        ada.page.evaluate("document.getElementById('session').classList.add('has-side')")
        ada.look("tab", "people")
        cut = ada.until(lambda: not ada.look("cutOff"), 2) or ada.look("cutOff")
        check(name, f"{size}: no control is cut off, with a name of 24 characters", cut is True, cut=cut)
        check(name, f"{size}: one can leave, and open the menu of each person", ada.look("has", "leave") and len(ada.look("menu", "Bob", "")) > 3)
        entries = set(ada.look("more")) | set(ada.page.evaluate("[...document.querySelectorAll('#toolbar button:not([hidden])')].map(one => one.dataset.action)"))
        check(name, f"{size}: every button is there or in the menu", {"test-video", "screen", "hand", "leave", "devices", "invite", "report"} <= entries and
              ("session" in entries or "lock-share" in entries), entries=sorted(entries))
        check(name, f"{size}: no two buttons have one icon", ada.look("twins") == 0)
        ada.page.evaluate("document.getElementById('session').classList.remove('has-side')")
        for key in ("", f"user:{kim.page.evaluate('millrace.state.self')}"):
            ada.page.evaluate(f"document.querySelector('.tile[data-key=\"{key}\"] [data-action=pin]')?.click()")
            covered = ada.until(lambda: not ada.look("covered"), 2) or ada.look("covered")
            check(name, f"{size}: no button covers a name{', beside a large tile' if key else ''}", covered is True, covered=covered)
        ada.page.evaluate("document.querySelector('.tile.is-large [data-action=pin]')?.click()")
        # Enough participants for the smallest size of the tiles; only this page is told of them.
        crowd(ada, "userJoined", "user: {...millrace.state.me, id: `x${n}`, name: `Participant ${n}`, role: 'participant'}")
        covered = ada.until(lambda: len(ada.look("names")) == 33 and not ada.look("covered"), 2) or ada.look("covered")
        check(name, f"{size}: no button covers a name in the smallest tiles", covered is True, covered=covered)
        crowd(ada, "userLeft", "user: `x${n}`, reason: 'left'")

    at_sizes(ada, look, (*SCREENS, (320, 640, True)))
    ada.page.size(1280, 760)
    share(bench, name, ada, bob)


def crowd(room, event, data):
    """Makes thirty users join or leave, from the view of this page only."""
    room.page.evaluate(f"for (let n = 0; n < 30; n += 1) millrace.state.apply('{event}', {{{data}}})")


def share(bench, name, ada, bob):
    """A presenter does not see the own screen large; others do."""
    ada.page.evaluate("""(async () => { const {testVideo} = await import("/page/client/sources.js");
        await millrace.publish({name: "screen", videoType: "screen", media: testVideo("a screen")}); })()""")
    tile = f"{ada.name}: screen"
    large = bob.until(lambda: (bob.look("seen", tile) or {}).get("isLarge"))
    bench.reporter.check(name, "a shared screen is large for others, and not for its presenter", large and ada.look("seen", tile)["isLarge"] is False)


def texts(bench, name):
    """Errors are shown in helpful words."""
    check = bench.reporter.check
    server = relay(bench)
    room = Room(bench, "chromium", server.url, "texts", "Ada", token="nonsense")
    said = room.until(lambda: room.look("text", "join-error"))
    check(name, "a token that is none", said and "complete token" in said and "parts" not in said, text=said)
    room = Room(bench, "chromium", server.url, "texts", "Ada")
    room.is_in()
    room.page.evaluate("""navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("Requested device not found", "NotFoundError"); }; true""")
    room.look("press", "camera")
    said = room.until(lambda: room.look("notices"))
    check(name, "a device that is not there", said and "No such device was found" in said[-1] and "Requested" not in said[-1], notices=said)


def features(bench, name):
    """Each feature, on a desktop and on a phone."""
    server = relay(bench)
    ada = Room(bench, "chromium", server.url, "features", "Ada", role="host")
    bob = Room(bench, "chromium", server.url, "features", "Bob", role="participant")
    for room in (ada, bob):
        bench.reporter.check(name, f"{room.name} is in", room.is_in(), page=room.look("why"))
    bob.publish()
    ada.sees("Bob")
    texts = iter(("first", "second"))

    def look(size):
        case = f"{name}, {size}"
        check_hand(bench, case, ada, bob)
        check_invite(bench, case, ada)
        check_full_screen(bench, case, ada)
        check_shortcuts(bench, case, ada)
        check_links(bench, case, ada, bob, next(texts))
        check_devices(bench, case, ada)
        ada.look("press", "camera")
        within(ada, lambda: not ada.look("has", "audio"))

    at_sizes(ada, look)
    ada.page.size(1440, 900)
    save_screenshots(bench, ada, bob)
    check_late_hand(bench, name, server, ada, bob)
    check_frozen(bench, name, ada, bob)
    refused = ada.look("violations")
    bench.reporter.check(name, "the page's policy refused it nothing, and every control has a name", refused == [] and ada.page.unnamed() == [],
                         refused=refused, without=ada.page.unnamed())


def save_screenshots(bench, ada, bob):
    """Saves the images of docs/: page.png and page-phone.png."""
    ada.look("press", "test-video")
    bob.look("press", "hand")
    ada.sees("Bob")
    for file, width, height, touch in (("page", 1280, 760, False), ("page-phone", 390, 844, True)):
        ada.page.size(width, height, touch=touch)
        ada.page.evaluate(f"document.getElementById('session').classList.toggle('has-side', {json.dumps(not touch)})")
        ada.look("tab", "people")
        within(ada, lambda: ada.look("seen", "Bob")["isShown"] and ada.look("seen", "Ada (you)")["width"] and "fps" in ada.look("seen", "Bob")["facts"])
        ada.page.evaluate("for (const one of document.querySelectorAll('.notice .quiet')) one.click(); document.getElementById('stage').focus()")
        time.sleep(1)
        ada.page.screenshot(bench.current / f"{file}.png")
    ada.page.size(1440, 900)
    ada.page.evaluate("document.getElementById('session').classList.add('has-side')")
    bob.look("press", "hand")
    within(ada, lambda: ada.look("person", "Bob")["hand"] == "false")


def check_hand(bench, case, ada, bob):
    check = bench.reporter.check

    def hand(room, who):
        return (room.look("person", who) or {}).get("hand") == "true" and "hand raised" in room.look("person", who)["marks"]
    bob.look("press", "hand")
    check(case, "a raised hand is shown to others and to oneself, and told", within(ada, lambda: hand(ada, "Bob") and hand(bob, "Bob")) and
          any("Bob raised a hand" in text for text in ada.look("notices")), notices=ada.look("notices"))
    check(case, "at the tile too, and first in the list", ada.page.evaluate("[...document.querySelectorAll('.tile')].some(one => one.querySelector('.name').textContent === 'Bob' "
          "&& !one.querySelector('.hand').hidden) && document.querySelector('.people li').dataset.name === 'Bob'"))
    ada.page.evaluate("document.getElementById('session').classList.add('has-side')")
    check(case, "a moderator lowers it", "lower-hand" in ada.look("menu", "Bob", "lower-hand") and within(ada, lambda: not hand(ada, "Bob") and not hand(bob, "Bob")))
    ada.look("press", "hand")
    within(bob, lambda: hand(bob, "Ada"))
    bob.refusal("signal", type="millrace-hand", data="lower", to=ada.page.evaluate("millrace.state.self"))
    ada.page.evaluate("new Promise(done => setTimeout(done, 300))")
    check(case, "and no other participant can", hand(ada, "Ada") and hand(bob, "Ada"))
    ada.look("press", "hand")
    check(case, "its owner lowers it", within(bob, lambda: not hand(bob, "Ada")))
    check(case, "none of it is in the panel of signals", ada.look("signals") == [], signals=ada.look("signals"))


def within(room, condition):
    return room.until(condition, 12)


def check_late_hand(bench, case, server, ada, bob):
    bob.look("press", "hand")
    ada.until(lambda: (ada.look("person", "Bob") or {}).get("hand") == "true")
    eve = Room(bench, "chromium", server.url, "features", "Eve", role="participant")
    eve.is_in()
    bench.reporter.check(case, "a late joiner sees a raised hand", eve.until(lambda: (eve.look("person", "Bob") or {}).get("hand") == "true"))
    eve.stop()
    bob.look("press", "hand")


def check_invite(bench, case, ada):
    ada.look("press", "invite")
    link = ada.until(lambda: ada.page.evaluate("document.querySelector('dialog[open] .code')?.textContent ?? ''"))
    wanted = ada.page.evaluate("location.origin") + "/?session=features"
    bench.reporter.check(case, "the invitation is an address of the session without a token", link == wanted, link=link)
    ada.look("answer", "")


def check_full_screen(bench, case, ada):
    check = bench.reporter.check
    ada.page.evaluate("document.getElementById('session').classList.add('has-side')")
    ada.look("menu", "Bob", "full-screen")
    check(case, "a video fills the screen", within(ada, lambda: ada.page.evaluate("document.fullscreenElement?.querySelector('.name')?.textContent") == "Bob"))
    ada.page.evaluate("document.exitFullscreen()")
    within(ada, lambda: ada.page.evaluate("!document.fullscreenElement"))
    ada.look("press", "fill-screen")
    check(case, "and so does the page", within(ada, lambda: ada.page.evaluate("document.fullscreenElement === document.documentElement")))
    ada.page.evaluate("document.exitFullscreen()")
    within(ada, lambda: ada.page.evaluate("!document.fullscreenElement"))


def check_shortcuts(bench, case, ada):
    check = bench.reporter.check
    focus = "document.getElementById('stage').focus()"
    ada.page.evaluate(focus)
    ada.page.key("h")
    check(case, "a key raises the hand", within(ada, lambda: ada.look("person", "Ada")["hand"] == "true"))
    ada.page.key("h")
    within(ada, lambda: ada.look("person", "Ada")["hand"] == "false")
    ada.page.key("?")
    listed = within(ada, lambda: ada.page.evaluate("[...document.querySelectorAll('dialog[open] kbd')].map(one => one.textContent).join('')"))
    check(case, "the list of shortcuts has them all", listed == "MVHFPCI?", listed=listed)
    ada.page.key("h")
    ada.page.evaluate("document.querySelector('dialog[open] input[name=shortcuts]').click()")
    ada.look("answer", "")
    ada.page.evaluate(focus)
    ada.page.key("h")
    ada.page.evaluate("new Promise(done => setTimeout(done, 200))")
    check(case, "none works in a dialog, nor once they are switched off", ada.look("person", "Ada")["hand"] == "false")
    ada.page.key("?")
    within(ada, lambda: ada.look("dialog"))
    ada.page.evaluate("document.querySelector('dialog[open] input[name=shortcuts]').click()")
    ada.look("answer", "")
    ada.page.key("c")
    ada.page.key("h")
    typed = within(ada, lambda: ada.page.evaluate("document.querySelector('#panel-chat textarea').value"))
    check(case, "keys typed into a field are text", typed == "h" and ada.look("person", "Ada")["hand"] == "false", typed=typed)
    ada.page.evaluate("document.querySelector('#panel-chat textarea').value = ''")


def check_links(bench, case, ada, bob, word):
    text = (f"{word}: see https://example.org/{word}?a=1&b=2, (http://example.org/w_(x)) javascript:alert(1) https://user@evil.example/ "
            "<a href='https://example.org/raw'>x</a> ftp://example.org")
    ada.look("tab", "chat")
    bob.page.evaluate(f"millrace.chat.send({json.dumps(text)}).then(() => true)")
    wanted = [[f"https://example.org/{word}?a=1&b=2", f"https://example.org/{word}?a=1&b=2"], ["http://example.org/w_(x)", "http://example.org/w_(x)"],
              ["https://example.org/raw", "https://example.org/raw"]]
    found = within(ada, lambda: [one for one in ada.look("links")][-3:] if any(word in one[0] for one in ada.look("links")) else None) or []
    kept = ada.page.evaluate("[...document.querySelectorAll('#panel-chat .what')].at(-1).textContent")
    bench.reporter.check(case, "http and https addresses in the chat are links, nothing else is, and the text is as it was", [one[:2] for one in found] == wanted and
                         all("noopener" in one[2] and one[3] == "_blank" for one in found) and kept == text, links=found)


def check_devices(bench, case, ada):
    """Devices are chosen with a preview; the sent camera changes without a new stream."""
    check = bench.reporter.check
    ada.look("press", "camera")
    own = within(ada, lambda: (ada.look("seen", "Ada (you)") or {}).get("width") and ada.look("seen", "Ada (you)"))
    mirrored = "document.querySelector('.tile video.is-mirrored')?.closest('.tile').querySelector('.name').textContent ?? ''"
    check(case, "one's own camera is mirrored for oneself", own and ada.page.evaluate(mirrored) == "Ada (you)", seen=own)
    # A publisher that ended its only stream gets a new peer connection, and with it one more stream id.
    steady = "millrace.publisher.connection?.connectionState === 'connected' && millrace.publication('camera')?.id"
    within(ada, lambda: (first := ada.page.evaluate(steady)) and ada.page.evaluate(f"new Promise(done => setTimeout(() => done({steady}), 1500))") == first)
    before = ada.page.evaluate("(one => [one.id, one.track('video').id, one.track('video').getSettings().deviceId])(millrace.publication('camera'))")
    ada.look("press", "devices")
    shown = within(ada, lambda: ada.page.evaluate("document.querySelector('dialog[open] video')?.videoWidth > 0 && "
                                                 "document.querySelector('dialog[open] select[name=camera]').options.length > 2"))
    check(case, "the preview shows the camera, and all devices to choose from", shown, dialog=ada.look("dialog"))
    level = within(ada, lambda: ada.page.evaluate("document.querySelector('dialog[open] meter').value > 0"))
    check(case, "and the level of the microphone", level)
    check(case, "no part of the dialog is cut off", ada.look("cutOff") == [], cut=ada.look("cutOff"))
    ada.page.evaluate(f"""(select => {{ select.value = [...select.options].map(one => one.value).find(one => one && one !== {json.dumps(before[2])});
        select.dispatchEvent(new Event("change")); }})(document.querySelector("dialog[open] select[name=camera]"))""")
    chosen = ada.page.evaluate("document.querySelector('dialog[open] select[name=camera]').value")
    within(ada, lambda: ada.page.evaluate(f"document.querySelector('dialog[open] video').srcObject.getVideoTracks()[0]?.getSettings().deviceId === {json.dumps(chosen)}"))
    ada.page.evaluate("document.querySelector('dialog[open] input[name=mirror]').click()")
    ada.look("answer", "yes")
    after = "(one => [one.id, one.track('video').id, one.track('video').getSettings().deviceId])(millrace.publication('camera'))"
    changed = within(ada, lambda: ada.page.evaluate(after)[2] == chosen != before[2])
    now = ada.page.evaluate(after)
    sent = ada.page.evaluate("millrace.publication('camera').senders.get('video').sender.track.id")
    check(case, "another camera is sent in the same stream", changed and now[0] == before[0] and now[1] != before[1] and sent == now[1], before=before, after=now)
    check(case, "without the mirror if it is disabled", within(ada, lambda: ada.page.evaluate(mirrored) == ""))
    ada.look("press", "devices")
    within(ada, lambda: ada.page.evaluate("document.querySelector('dialog[open] select[name=camera]')?.value") == chosen)
    ada.page.evaluate("document.querySelector('dialog[open] input[name=mirror]').click()")
    ada.look("answer", "yes")
    within(ada, lambda: not ada.look("dialog"))


def check_frozen(bench, case, ada, bob):
    check = bench.reporter.check
    state = "(one => [one.classList.contains('is-frozen'), getComputedStyle(one.querySelector('video')).filter !== 'none'])([...document.querySelectorAll('.tile')].find(one => one.querySelector('.name').textContent === 'Bob'))"
    ada.sees("Bob")
    check(case, "video that runs is not dimmed", ada.page.evaluate(state) == [False, False])
    bob.page.evaluate("(one => { window.kept = one.track; return one.replaceTrack(null).then(() => true); })(millrace.publication('camera').senders.get('video').sender)")
    check(case, "video that stops coming is dimmed, and said", ada.until(lambda: ada.page.evaluate(state) == [True, True] and
                                                                          ada.look("seen", "Bob")["note"] == "No new video arrives", 10), seen=ada.look("seen", "Bob"))
    bob.page.evaluate("millrace.publication('camera').senders.get('video').sender.replaceTrack(kept).then(() => true)")
    check(case, "until it comes again", ada.until(lambda: ada.page.evaluate(state) == [False, False] and ada.look("seen", "Bob")["note"] == "", 10))


def before_joining(bench, name):
    """Devices are chosen before joining, and are on after joining; later the same join takes one button."""
    check = bench.reporter.check
    server = relay(bench)
    page = Room(bench, "chromium", server.url, "", "Ada")
    page.look("press", "join-devices")
    shown = page.until(lambda: page.page.evaluate("document.querySelector('dialog[open] video')?.videoWidth > 0"))
    check(name, "the preview is there before joining", shown, dialog=page.look("dialog"))
    page.look("answer", "yes")
    check(name, "the choice is shown", page.until(lambda: "will be on" in page.look("text", "join-devices-state")))
    page.look("fill", "#join-form", {"session": "before"})
    check(name, "camera and microphone are on after joining", page.is_in() and page.until(lambda: page.page.evaluate(
        "['audio', 'video'].every(kind => millrace.publication('camera')?.track(kind)?.readyState === 'live')")))
    way = bench.keep(Cut(server.port))
    bob = Room(bench, "chromium", way.url, "before", "Bob", role="participant")
    bob.is_in()
    way.close()
    check(name, "a lost connection has a button that tries again", bob.until(lambda: bob.look("has", "retry")), banner=bob.look("text", "banner"))
    bob.page.evaluate("window.tries = 0; const Real = WebSocket; window.WebSocket = class extends Real { constructor(...all) { super(...all); tries += 1; } }; true")
    bob.page.evaluate("new Promise(done => setTimeout(done, 6000))")
    before = bob.page.evaluate("tries")
    bob.look("press", "retry")
    check(name, "which tries at once", bob.page.evaluate("new Promise(done => setTimeout(() => done(tries), 100))") > before)
    way.open()
    check(name, "it is back, and the button is gone", bob.until(lambda: bob.look("status") == "connected" and not bob.look("has", "retry"), 10))
    way.close()
    bob.until(lambda: bob.look("status") == "reconnecting")
    # Longer than the page keeps trying.
    bob.page.evaluate("(real => { performance.now = () => real() + 400_000; })(performance.now.bind(performance)); true")
    check(name, "after an end the same join has one button", bob.until(lambda: bob.look("text", "join-button") == "Join again", 12), button=bob.look("text", "join-button"))
    way.open()
    bob.page.evaluate("document.getElementById('join-button').click()")
    check(name, "by which one is in again", bob.is_in() and bob.page.evaluate("millrace.state.sessionName") == "before")


def no_path(bench, name):
    """Media that cannot reach the relay is reported within seconds, with the attempted addresses; and so is its return."""
    check = bench.reporter.check
    server = relay(bench)
    way = detour(bench, server)
    way.is_blocked = True
    ada = Room(bench, "chromium", server.url, "nowhere", "Ada", way=way)
    check(name, "the signalling connects", ada.is_in(), page=ada.look("why"))
    ada.publish()
    began = time.monotonic()
    told = ada.until(lambda: ada.look("text", "status") == "No media path", 25)
    took = time.monotonic() - began
    banner = ada.look("text", "banner")
    check(name, "the page says after 10 s that there is no media path", told and 8 < took < 16, seconds=round(took, 1), status=ada.look("text", "status"))
    check(name, "and which addresses were tried", banner.startswith("No media path") and f"to {way.address}:{way.port}: " in banner and
          "0 answered" in banner, banner=banner)
    ada.page.screenshot(bench.current / "no-path.png")
    way.is_blocked = False
    check(name, "once media passes it is connected, and the text is gone", ada.until(lambda: ada.look("text", "status") == "Connected" and
          not ada.look("text", "banner"), 40), status=ada.look("text", "status"))


ALL = [
    ("page: no media path", no_path),
    ("page: features", features),
    ("page: before joining", before_joining),
    ("page: layout", layout),
    ("page: texts", texts),
    ("page: names with spaces", names),
    ("page: full size", sizes),
]
LONG = []

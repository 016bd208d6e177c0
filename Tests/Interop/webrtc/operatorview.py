"""Cases of the operator view at `/admin`."""

import json
import subprocess
import time

from recorded import check_chat
from relay import RelayError
from webrtc.pagefeatures import at_sizes
from webrtc.room import ADMIN_TOKEN, PROBE, Room, is_colour_of, relay
from webrtc.rooms import two

HUE = """(src => { const image = document.querySelector(src); if (!image || !image.naturalWidth) return null;
  const context = new OffscreenCanvas(32, 18).getContext('2d'); context.drawImage(image, 0, 0, 32, 18);
  const [r, g, b] = context.getImageData(3, 3, 1, 1).data, most = Math.max(r, g, b), span = most - Math.min(r, g, b);
  if (span < 40) return null;
  const turn = most === r ? (g - b) / span % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4;
  return Math.round((turn * 60 + 360) % 360); })"""


class Operator:
    def __init__(self, bench, url):
        self.page = bench.visit("chromium", f"{url}/admin")
        self.page.evaluate(f"(() => {{ {PROBE} return true }})()")

    def look(self, function, *arguments):
        return self.page.evaluate(f"probe.{function}({', '.join(json.dumps(a) for a in arguments)})")

    def log_in(self, token):
        self.look("fill", "#login-form", {"token": token})

    def until(self, condition, timeout=8):
        return Room.until(self, condition, timeout)

    def rows(self):
        """Returns the names of the participants with their displayed state."""
        return self.page.evaluate("Object.fromEntries([...document.querySelectorAll('.session tr[data-user]')].map(row => [row.dataset.name, {...row.dataset}]))")

    def still(self, stream):
        """Returns the colour of the still of a stream."""
        return self.page.evaluate(f"{HUE}('[data-stream=\"{stream}\"] img')")

    def gauge(self, title):
        return self.page.evaluate(f"""(figure => figure ? parseFloat(figure.querySelector('strong').textContent) : null)(
            [...document.querySelectorAll('.gauges .chart')].find(one => one.querySelector('span').textContent === {title!r}))""")

    def quality(self, direction, title):
        """Returns the figure beside a chart of the participant's quality."""
        return self.page.evaluate(f"""(figure => figure ? parseFloat(figure.querySelector('strong').textContent) : null)(
            [...document.querySelectorAll('.quality [data-direction="{direction}"] .chart')].find(one => one.querySelector('span').textContent === {title!r}))""")

    def press(self, name, action):
        return self.page.evaluate(f"""(button => {{ button?.click(); return !!button; }})(
            [...document.querySelectorAll('.session tr[data-user]')].find(row => row.dataset.name === {name!r})?.querySelector('[data-action="{action}"]'))""")


def view(bench, name):
    check = bench.reporter.check
    server, ada, bob = two(bench, name)
    ada.sees("Bob")
    operator = Operator(bench, server.url)
    check(name, "a token is asked for", ada.until(lambda: operator.look("text", "login")))
    operator.log_in("guessed")
    check(name, "a wrong one shows nothing", ada.until(lambda: operator.look("text", "login-error")) and not operator.look("text", "view"),
          text=operator.look("text", "login-error"))
    try:
        server.request("GET", "/v1/admin/sessions")
        status = 200
    except RelayError as error:
        status = error.status
    check(name, "nor does the relay without one", status == 401, status=status)
    operator.log_in(ADMIN_TOKEN)
    rows = ada.until(lambda: set(operator.rows()) == {"Ada", "Bob"} and operator.rows())
    check(name, "both participants are shown, with their roles", rows and [rows["Ada"]["role"], rows["Bob"]["role"]] == ["host", "participant"], rows=operator.rows())
    for room, who in ((bob, "Ada"), (ada, "Bob")):
        stream = room.look("seen", who)["stream"]
        seen = room.until(lambda: is_colour_of(who, operator.still(stream)), 12)
        check(name, f"a still of {who}'s video", seen, hue=operator.still(stream))
    for title, least in (("Packets out", 20), ("Packets in", 20), ("CPU per packet", 1), ("Memory", 1)):
        check(name, f"{title.lower()} is measured", ada.until(lambda: (operator.gauge(title) or 0) >= least), value=operator.gauge(title))
    operator.press("Bob", "quality")
    for direction in ("published", "subscribed"):
        for title, least in (("Bit rate", 0.1), ("Lowest video", 90)):
            check(name, f"the quality of {direction} media is charted: {title.lower()}", ada.until(lambda: (operator.quality(direction, title) or 0) >= least),
                  value=operator.quality(direction, title))
    operator.press("Bob", "quality")
    check(name, "and the charts are closed again", operator.page.evaluate("document.querySelectorAll('.quality').length") == 0)
    operator.page.size(1280, 860)
    time.sleep(2)
    operator.page.screenshot(bench.current / "admin.png")
    labels = operator.page.evaluate("[...document.querySelectorAll('.session button')].map(one => one.getAttribute('aria-label'))")
    check(name, "every button says whom it is for", len(set(labels)) == len(labels) > 4 and "Remove: Bob" in labels, labels=labels)
    operator.page.evaluate("document.getElementById('logout').click()")
    check(name, "logging out clears the view", operator.rows() == {} and not operator.look("text", "view"))
    operator.log_in(ADMIN_TOKEN)
    check(name, "and logging in again restores it", ada.until(lambda: set(operator.rows()) == {"Ada", "Bob"}), rows=operator.rows())
    operator.press("Bob", "mute")
    check(name, "an operator mutes", ada.is_silent("Bob") and ada.look("seen", "Bob")["isMuted"] and
          ada.until(lambda: operator.rows()["Bob"]["audio"] == "muted"))
    operator.press("Bob", "remove")
    operator.look("answer", "yes")
    check(name, "and removes", "removed" in (bob.has_left() or "") and ada.until(lambda: set(operator.rows()) == {"Ada"}), rows=operator.rows())
    operator.page.evaluate("document.querySelector('[data-action=end]').click()")
    operator.look("answer", "yes")
    check(name, "and ends the session", "ended" in (ada.has_left() or "") and ada.until(lambda: operator.rows() == {}), text=ada.look("text", "join-error"))
    operator.page.evaluate("document.getElementById('logout').click()")
    check(name, "a token that is forgotten is forgotten", operator.page.evaluate("sessionStorage.length") == 0 and not operator.look("text", "view"))


def recording(bench, name):
    """Recordings are started and stopped, and reports are read, on a desktop and on a phone."""
    check = bench.reporter.check
    folder = bench.current / "recordings"
    server = relay(bench, extra=["--recording-directory", str(folder)])
    ada = Room(bench, "chromium", server.url, "studio", "Ada")
    check(name, "the publisher is in", ada.is_in(), page=ada.look("why"))
    ada.publish()
    ada.page.evaluate("millrace.request('reportIssue', {note: 'It <b>froze</b>'}).then(() => true)")
    stream = ada.until(lambda: ada.page.evaluate("millrace.publication('camera')?.id ?? ''"))
    operator = Operator(bench, server.url)
    operator.log_in(ADMIN_TOKEN)

    def phase():
        return operator.page.evaluate(f"document.querySelector('[data-stream=\"{stream}\"] .record')?.dataset.phase ?? ''")

    def size():
        return sum(file.stat().st_size for file in folder.rglob("*.webm"))

    def look(label):
        before = size()
        check(name, f"{label}: a recording is started", ada.until(lambda: operator.look("press", "record-start")) and
              ada.until(lambda: phase() == "recording", 12), phase=phase())
        check(name, f"{label}: it is written", ada.until(lambda: size() > before + 20_000, 20), bytes=size() - before)
        cut = operator.page.evaluate("[...document.querySelectorAll('.still button, .reports button, .admin-bar button')].filter(one => "
                                     "one.getBoundingClientRect().right > innerWidth || one.getBoundingClientRect().left < 0).length")
        check(name, f"{label}: no button is cut off", cut == 0 and operator.page.unnamed() == [], cut=cut, without=operator.page.unnamed())
        operator.page.screenshot(bench.current / f"admin-{label}.png")
        operator.look("press", "record-stop")
        check(name, f"{label}: and stopped", ada.until(lambda: operator.look("has", "record-start") and phase() in ("", "ended"), 12), phase=phase())
        reports = operator.page.evaluate("[...document.querySelectorAll('.reports li')].map(one => [one.dataset.issue, one.querySelector('.note')?.textContent])")
        check(name, f"{label}: a report is listed, as text", [one[1] for one in reports] == ["It <b>froze</b>"], reports=reports)

    at_sizes(operator, look)
    operator.page.evaluate("(make => { URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return make(blob); }; })"
                           "(URL.createObjectURL.bind(URL)); true")
    operator.look("press", "save-report")
    saved = ada.until(lambda: operator.page.evaluate("window.saved ? JSON.parse(saved).user.name : ''"))
    check(name, "and saved with the relay's data", saved == "Ada", saved=saved)
    operator.page.evaluate("document.getElementById('logout').click()")
    check(name, "a token that is forgotten takes the reports along", operator.page.evaluate("document.querySelectorAll('.reports li').length") == 0)


def told(bench, name):
    """Participants see that they are recorded, including late joiners, and see its end. A mute is neither a loss nor a second file."""
    check = bench.reporter.check
    folder = bench.current / "recordings"
    server = relay(bench, extra=["--recording-directory", str(folder)])
    server.admin_token = ADMIN_TOKEN
    ada = Room(bench, "chromium", server.url, "told", "Ada")
    check(name, "the publisher is in", ada.is_in(), page=ada.look("why"))
    ada.publish()
    stream = ada.until(lambda: ada.page.evaluate("[...millrace.state.ownStreams].map(one => one.id)[0] ?? ''"))
    check(name, "nothing is recorded, and the page says nothing", stream and not ada.look("text", "recording-state"))

    def record(action):
        server.request("POST", f"/v1/sessions/told/streams/{stream}/record", {"action": action})

    record("start")
    check(name, "the badge appears", ada.until(lambda: ada.look("text", "recording-state") == "Recording"), text=ada.look("text", "recording-state"))
    check(name, "with a notice", any("recorded" in text for text in ada.look("notices")), notices=ada.look("notices"))
    ada.page.screenshot(bench.current / "recording.png")
    bob = Room(bench, "chromium", server.url, "told", "Bob", role="participant")
    check(name, "a late joiner sees it too", bob.is_in() and bob.until(lambda: bob.look("text", "recording-state") == "Recording"))
    check(name, "and whose stream it is", "Ada" in bob.page.evaluate("document.getElementById('recording-state').title"))
    written = []
    for text in ("hello <b>all</b>", "second\n\nline"):
        bob.page.evaluate(f"millrace.chat.send({json.dumps(text)}).then(() => true)")
        written.append((time.monotonic(), text))
        time.sleep(1)
    for muted in ("true", "false"):
        ada.page.evaluate(f"Promise.all(['audio', 'video'].map(kind => millrace.setMuted(millrace.publication('camera'), kind, {muted})))")
        time.sleep(3)
    record("stop")
    check(name, "the badge disappears, for both", ada.until(lambda: not ada.look("text", "recording-state")) and
          bob.until(lambda: not bob.look("text", "recording-state")))
    files = json.loads(next(folder.rglob("index.json")).read_text())["files"]
    check(name, "one file, with the name of its publisher", len(files) == 1 and files[0].get("participant", {}).get("name") == "Ada", files=files)
    # A frame that the mute interrupts counts as one lost packet.
    check(name, "the mute lost no packet", files[0]["statistics"]["lostPackets"] <= 1, statistics=files[0]["statistics"])
    said = subprocess.run([str(bench.binary), "decode", "--verify", str(next(folder.rglob("*.webm")))], capture_output=True, text=True, check=False)
    check(name, "and the file is whole", said.stdout.endswith("  whole\n"), said=(said.stdout + said.stderr)[-200:])
    check_chat(check, name, bench.binary, next(folder.rglob("index.json")).parent, bench.current / "session.mkv", "Bob", written)


ALL = [
    ("operator view", view),
    ("page: told of recordings", told),
    ("operator view: recording and reports", recording),
]
LONG = []

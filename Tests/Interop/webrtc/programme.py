"""The programme of a session with three speakers, for ten minutes, in players and as a file."""

import re
import statistics
import threading
import time
import urllib.request

import clients
import media
import numpy
from webrtc import barfile, sound

SECONDS, TURN, OVERLAP = 600, 6, 1
WIDTH, HEIGHT = 320, 180
TONES = (500, 800, 1300)
# The programme shows another stream 3 s after the last change at the earliest; then its key frame is requested.
SHOWN_AFTER = 4
LIMIT = 40  # milliseconds between audio and video


class Recorder(threading.Thread):
    """Writes a body without an end to a file, as it comes."""

    def __init__(self, url, token, path):
        super().__init__(daemon=True)
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        self.body, self.path, self.isOn = urllib.request.urlopen(request, timeout=20), path, True
        self.start()

    def run(self):
        with self.body, open(self.path, "wb") as file:
            while self.isOn and (piece := self.body.read1(1 << 16)):
                file.write(piece)

    def stop(self):
        self.isOn = False
        self.join(5)


class Player:
    """A player without a window or a loudspeaker, which prints the difference between audio and video several times a second, in seconds."""

    COMMANDS = {
        "ffplay": ["ffplay", "-hide_banner", "-stats", "-headers", "Authorization: Bearer {}\r\n"],
        "mpv": ["mpv", "--no-config", "--vo=null", "--ao=null", "--term-status-msg=A-V: ${{avsync}} at ${{=time-pos}} ", "--msg-level=all=warn,statusline=status",
                "--http-header-fields=Authorization: Bearer {}"],
    }

    def __init__(self, name, url, token, folder):
        command = [argument.format(token) for argument in self.COMMANDS[name]]
        self.name = name
        self.process = clients.Process(name, [*command, url], folder / f"{name}.log", {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"})
        self.stop = self.process.stop

    def differences(self):
        return [float(value) for value in re.findall(r"A-V: *(-?[\d.]+)", self.process.log.read_text(errors="replace"))]


def talk(pages, calls, seconds):
    """Lets the speakers talk in turns, each for a moment at the same time as the next. Returns (speaker, wall clock of the tone's start) of each turn."""
    began, turns, last = time.monotonic(), [], None
    while time.monotonic() < began + seconds:
        speaker = len(turns) % len(pages)
        turns.append((speaker, pages[speaker].call("speak", id=calls[speaker], isOn=True)))
        time.sleep(OVERLAP)
        if last is not None:
            pages[last].call("speak", id=calls[last], isOn=False)
        last = speaker
        time.sleep(TURN - OVERLAP)
    return turns


def onset(samples, hertz, expected):
    """Returns the time in ms at which a tone begins, near an expected one; None without such a tone."""
    first = int((expected - 1000) * 48)
    piece = samples[max(0, first):first + 2000 * 48]
    if first < 0 or len(piece) < 2000 * 48:
        return None
    mixed = piece * numpy.exp(-2j * numpy.pi * hertz * numpy.arange(len(piece)) / 48000)
    window = 480
    sums = numpy.cumsum(mixed)
    level = numpy.abs(sums[window:] - sums[:-window]) / window
    steady = numpy.median(level[-24000:])
    if steady < 0.01 or numpy.median(level[:24000]) > steady / 4:
        return None
    # Half of the window is in the tone where its level has reached the half.
    return (max(0, first) + window / 2 + int(numpy.argmax(level > steady / 2))) / 48


def check_file(check, name, path, turns):
    errors = media.decoding_errors(path)
    check(name, "ffmpeg decodes the whole file without an error", not errors, errors=errors[-300:])
    video, audio = ([at for _, at in media.packet_times(path, kind)] for kind in "va")
    lasted = TURN * len(turns) - OVERLAP
    check(name, "ffprobe sees audio and video of the whole time", min(video[-1] - video[0], audio[-1] - audio[0]) > lasted - 5 and abs(video[-1] - audio[-1]) < 0.3,
          video=round(video[-1] - video[0], 1), audio=round(audio[-1] - audio[0], 1), seconds=lasted)
    steps = [b - a for a, b in zip(audio, audio[1:])]
    check(name, "audio has no gap", max(abs(step - 0.02) for step in steps) < 0.002, worst_milliseconds=round(max(steps) * 1000, 1), packets=len(audio))
    check(name, "video's times ascend", all(b > a for a, b in zip(video, video[1:])), longest_milliseconds=round(1000 * max(b - a for a, b in zip(video, video[1:]))),
          frames=len(video))

    shown, unread = barfile.read(path, turns[0][1], WIDTH, HEIGHT)
    check(name, "frames can be read", unread <= len(shown) / 1000, unread=unread, frames=len(shown))
    samples = sound.mono(path)
    times, walls, sources = (numpy.array(column) for column in zip(*shown))
    skews, heard, seen = [], 0, 0
    # The first turn begins with the programme itself, the last may be cut.
    for number, (speaker, wall) in enumerate(turns[1:-1], 1):
        near = numpy.abs(walls - wall) < 1000
        if not near.any():
            continue
        expected = wall + statistics.median(times[near] - walls[near])
        at = onset(samples, TONES[speaker], expected)
        if at is not None:
            heard += 1
            skews.append(at - expected)
        late = (walls > wall + SHOWN_AFTER * 1000) & (walls < wall + TURN * 1000)
        seen += bool(late.any() and (sources[late] == speaker + 1).all())
    count = len(turns) - 2
    check(name, "every speaker is heard from the start of the turn", heard == count, heard=heard, turns=count)
    check(name, "every speaker is seen", seen >= 0.95 * count, seen=seen, turns=count)
    if skews:
        check(name, "audio and video are within 40 ms", max(map(abs, skews)) <= LIMIT, median=round(statistics.median(skews), 1), least=round(min(skews), 1),
              most=round(max(skews), 1), turns=len(skews))


def speakers(bench, name):
    check = bench.reporter.check
    relay = bench.relay()
    pages = [bench.client("chromium") for _ in TONES]
    calls = [page.call("publish", url=relay.whip("talk", stream=f"cam{number}"), source=number, voice=hertz, width=WIDTH, height=HEIGHT, fps=30, bitrate=300_000)
             for number, (page, hertz) in enumerate(zip(pages, TONES), 1)]
    for page, call in zip(pages, calls):
        page.call("connected", id=call)
    clients.wait_until(lambda: all(relay.has_stream("talk", f"cam{number}") for number in (1, 2, 3)), 10, "the publishers' streams")
    url = f"{relay.url}/v1/sessions/talk/live.webm"
    path = bench.current / "programme.webm"
    players = [bench.keep(Player(kind, url, relay.admin_token, bench.current)) for kind in ("ffplay", "mpv")]
    recorder = Recorder(url, relay.admin_token, path)
    turns = talk(pages, calls, bench.seconds if bench.seconds >= 60 else SECONDS)
    for player in players:
        check(name, f"{player.name} plays to the end", player.process.running, said=player.process.tail(2)[-200:])
        player.stop()
        values = sorted(map(abs, player.differences()))
        # Players correct audio and video at the start and after a wait for data; ffplay corrects no difference below 40 ms.
        usual = values[len(values) * 9 // 10] if values else 1
        check(name, f"{player.name} keeps audio and video within 40 ms", len(values) > 500 and usual <= LIMIT / 1000,
              p90_milliseconds=round(usual * 1000), median=round(statistics.median(values) * 1000), worst=round(values[-1] * 1000), values=len(values))
    recorder.stop()
    check_file(check, name, path, turns)


LONG = [("programme of three speakers", speakers)]
ALL = []

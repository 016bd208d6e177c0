"""Statistics of the frames that a subscriber received, and the checks based on them."""

import time


class Seen:
    """Rows of [wall clock ms, number, latency ms, source, width, height], in the order of arrival."""

    def __init__(self, rows):
        self.rows = rows
        self.good = [row for row in rows if row[1] >= 0]
        self.numbers = []
        high = None
        for row in self.good:
            # The number in the bar has 16 bits.
            high = row[1] if high is None else high + ((row[1] - high + 0x8000) & 0xFFFF) - 0x8000
            self.numbers.append(high)

    def __len__(self):
        return len(self.rows)

    @property
    def damaged(self):
        return len(self.rows) - len(self.good)

    @property
    def sources(self):
        return sorted({row[3] for row in self.good})

    @property
    def distinct(self):
        return len(set(self.numbers))

    @property
    def missing(self):
        """Returns the numbers between the first and the last that were not received."""
        return max(self.numbers) - min(self.numbers) + 1 - self.distinct if self.numbers else 0

    @property
    def backwards(self):
        return sum(b < a for a, b in zip(self.numbers, self.numbers[1:]))

    @property
    def heights(self):
        return sorted({row[5] for row in self.rows})

    def rate(self, seconds):
        """Returns the new frames per second."""
        return self.distinct / seconds

    def longest_gap(self, start=None, end=None):
        """Returns the longest time in ms without a new frame, also before the first and after the last if the ends are given."""
        times, high = [] if start is None else [start], None
        for row, number in zip(self.good, self.numbers):
            if high is None or number > high:
                high = number
                times.append(row[0])
        if end is not None:
            times.append(end)
        return max((b - a for a, b in zip(times, times[1:])), default=float("inf"))

    def latency(self, share):
        """Returns the ms within which this share of the frames was shown."""
        values = sorted(row[2] for row in self.good)
        return values[min(len(values) - 1, int(share * len(values)))] if values else float("inf")


def first_frame(client, call, seconds=8):
    """Returns the wall clock ms of the first decoded frame."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        first = client.call("first", id=call)
        if first:
            return first
        time.sleep(0.02)
    return None


class Watch:
    """A period of observation: the frames between `begin` and `end`."""

    def __init__(self, client, call, start=None):
        """`start`: wall clock ms, if the case reads the frames itself."""
        self.client, self.call = client, call
        if start is None:
            client.call("frames", id=call)
        self.start = start or time.time() * 1000

    def end(self, rows=None):
        self.stop = time.time() * 1000
        self.seconds = (self.stop - self.start) / 1000
        self.seen = Seen(self.client.call("frames", id=self.call) if rows is None else rows)
        return self.seen

    def gap(self):
        return self.seen.longest_gap(self.start, self.stop)


def check_frames(bench, case, watch, source, rate=29.0, gap=500, every=False, damaged=0, stamped=True):
    """Checks for any subscriber: frames arrive at their rate, undamaged, without a freeze, and from the right source."""
    report, seen = bench.reporter.check, watch.seen
    if seen.rate(watch.seconds) < rate or watch.gap() >= gap:
        bench.explain(watch.client, watch.call)
    report(case, f"at least {rate:.4g} new frames a second", seen.rate(watch.seconds) >= rate,
           rate=round(seen.rate(watch.seconds), 2), frames=seen.distinct, seconds=round(watch.seconds, 1))
    report(case, f"no freeze of {gap} ms", watch.gap() < gap, longest=round(watch.gap()))
    report(case, "no damaged frame, none out of order", seen.damaged <= damaged and seen.backwards == 0, damaged=seen.damaged,
           backwards=seen.backwards)
    report(case, "only frames of this session's publisher", seen.sources == [source], sources=seen.sources)
    if every:
        report(case, "every frame number seen", seen.missing == 0 and bool(seen.numbers), missing=seen.missing,
               of=seen.distinct + seen.missing)
    if stamped:
        report(case, "latency", seen.latency(0.5) < 1500, p50=seen.latency(0.5),
               p99=seen.latency(0.99))


def check_audio(bench, case, client, call, mono=False, least=0.9):
    """440 Hz on the left and 660 Hz on the right; `mono`: 440 Hz on both, the output of Firefox's fake microphone.

    `least`: the share of the power that is the tone. If audio packets are lost, their concealment is no pure tone.
    """
    if client.kind == "firefox":
        return check_audio_statistics(bench, case, client, call)
    best = None
    for _ in range(5 if least < 0.9 else 1):
        heard = client.call("heard", id=call)
        if heard and (not best or min(heard["left"], heard["right"]) > min(best["left"], best["right"])):
            best = heard
        time.sleep(0.25 if least < 0.9 else 0)
    if not best:
        return bench.reporter.check(case, "audio is received", False)
    ok = best["left"] > least and (mono or best["right"] > least) and best["level"] > 0.02
    return bench.reporter.check(case, "the tones are right: 440 Hz" + (" on both sides" if mono else " left, 660 Hz right"), ok,
                                **{k: round(v, 3) for k, v in best.items()})


def inbound(client, call, kind):
    """Returns the inbound statistics of a browser for one kind of media."""
    return next((s for s in client.call("stats", id=call) if s["type"] == "inbound-rtp" and s.get("kind") == kind), {})


def check_audio_statistics(bench, case, client, call, seconds=1.0):
    """For a browser whose audio cannot be analysed: packets arrive at their rate, and are played rather than concealed."""
    before = inbound(client, call, "audio")
    began = time.monotonic()
    time.sleep(seconds)
    after = inbound(client, call, "audio")
    rate = (after.get("packetsReceived", 0) - before.get("packetsReceived", 0)) / (time.monotonic() - began)
    return bench.reporter.check(case, "audio packets arrive at their rate", 40 <= rate <= 60, rate=round(rate, 1),
                                lost=after.get("packetsLost"))

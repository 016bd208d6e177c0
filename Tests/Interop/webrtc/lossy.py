"""Chromium with 3 % of its datagrams lost in both directions for ten minutes: freezes of video and concealed audio of three subscribers.

`--duration 60` is the short form.
"""

import time

from webrtc.pairs import join, start
from webrtc.watch import first_frame, inbound

SECONDS, PERCENT, SUBSCRIBERS = 600, 3, 3
# Small: four pages run on machines with two cores.
VIDEO = {"width": 320, "height": 180, "bitrate": 300_000}
# Share of the samples that may be concealed while there is audio. Without retransmission 3 % were.
MOST_CONCEALED = 0.005
# Freezes in a second of a subscriber before lost audio was sent again: 8 of 0.2 s in 1,713 s. Two may happen by chance in a short run.
FREEZES, FREEZES_BY_CHANCE = 8 / 1_713, 2
# Most subscribers get 50 packets of audio a second.
LEAST_AUDIO = 45


class Period:
    """Statistics of one subscriber over a period, from its `inbound-rtp` statistics at the start and the end."""

    def __init__(self, audio, video):
        """`audio`, `video`: pairs of statistics, before and after."""
        self._audio, self._video = audio, video

    @staticmethod
    def _rise(pair, name):
        before, after = pair
        return after.get(name, 0) - before.get(name, 0)

    def audio(self, name):
        return self._rise(self._audio, name)

    def video(self, name):
        return self._rise(self._video, name)

    @property
    def concealed(self):
        """Returns the share of the samples that were concealed while the publisher was not silent; 1 if there were none."""
        samples = self.audio("totalSamplesReceived")
        return (self.audio("concealedSamples") - self.audio("silentConcealedSamples")) / samples if samples > 0 else 1


def most_freezes(seconds):
    """Returns the freezes that all subscribers together may have."""
    return max(FREEZES_BY_CHANCE, round(FREEZES * seconds * SUBSCRIBERS))


def judge(check, name, periods, seconds):
    for number, period in enumerate(periods, 1):
        title = f"{name}, subscriber {number}"
        rate = period.audio("packetsReceived") / seconds
        check(title, "audio packets arrive at their rate", rate >= LEAST_AUDIO, rate=round(rate, 1), lost=period.audio("packetsLost"))
        check(title, f"at most {100 * MOST_CONCEALED:.1f} % of the audio is concealed", period.concealed <= MOST_CONCEALED,
              percent=round(100 * period.concealed, 2), events=period.audio("concealmentEvents"), requests=period.audio("nackCount"),
              milliseconds_of_delay=round(1000 * period.audio("jitterBufferDelay") / max(period.audio("jitterBufferEmittedCount"), 1)))
    freezes, most = [period.video("freezeCount") for period in periods], most_freezes(seconds)
    check(name, f"at most {most} freezes", sum(freezes) <= most, freezes=freezes,
          seconds=[round(period.video("totalFreezesDuration"), 1) for period in periods],
          decoded=[period.video("framesDecoded") for period in periods])


def lossy(bench, name):
    bench.need_network(filters=True)
    check = bench.reporter.check
    seconds = bench.seconds if bench.seconds >= 30 else SECONDS
    relay = bench.relay(apart=True)
    start(bench, relay, "chromium", "lossy", nack=True, **VIDEO)
    subscribers = [join(bench, relay, "chromium", "lossy", nack=True) for _ in range(SUBSCRIBERS)]
    for subscriber, view in subscribers:
        if first_frame(subscriber, view) is None:
            check(name, "receives a frame", False, state=subscriber.call("state", id=view)["states"])
            return
    bench.network.lose(up=PERCENT, down=PERCENT)
    # The estimates of the paths get to know the loss.
    time.sleep(5)
    before, began = [(inbound(*one, "audio"), inbound(*one, "video")) for one in subscribers], time.monotonic()
    while (left := began + seconds - time.monotonic()) > 0:
        time.sleep(min(left, 60))
        bench.reporter.progress(f"{name}: {time.monotonic() - began:.0f} s of {seconds:.0f} s")
    after, took = [(inbound(*one, "audio"), inbound(*one, "video")) for one in subscribers], time.monotonic() - began
    for direction, (came, lost) in bench.network.lost().items():
        share = 100 * lost / max(came, 1)
        check(name, f"datagrams were lost ({direction})", 0.6 * PERCENT < share < 1.6 * PERCENT, percent=round(share, 1), datagrams=came)
    said = {key.removeprefix("millrace_"): int(value) for key, value in relay.metrics().items()
            if key in ("millrace_nacks_sent_total", "millrace_nacks_received_total", "millrace_packets_retransmitted_total")}
    bench.reporter.progress(f"{name}: relay: {', '.join(f'{key} {value}' for key, value in said.items())}")
    judge(check, name, [Period((first[0], last[0]), (first[1], last[1])) for first, last in zip(before, after)], took)


ALL = []
LONG = [("3 % loss both ways, Chromium", lossy)]

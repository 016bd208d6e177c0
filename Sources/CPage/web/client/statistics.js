// Media statistics: counters of the browser combined with those of the relay.

/// Samples kept per line of a chart.
const KEPT = 60;

/// Line of a chart: the last minute of one figure.
export class Line {
  values = [];
  push(value) {
    this.values.push(value ?? null);
    if (this.values.length > KEPT) this.values.shift();
  }
  get last() { return this.values.at(-1) ?? null; }
}

/// Samples a session each second. `tracks`: key -> {stream, kind, direction, name of figure -> Line or value}.
export class Statistics {
  tracks = new Map();
  sent = new Line();
  received = new Line();
  loss = new Line();
  roundTrip = new Line();
  available = null;
  relay = null;

  #session; #before = new Map(); #timer = 0; #count = 0; #busy = false;

  constructor(session) { this.#session = session; }

  start(onSample) {
    this.stop();
    this.#timer = setInterval(async () => {
      if (this.#busy) return;
      this.#busy = true;
      try {
        await this.sample().then(() => onSample(this), () => {});
      } finally {
        this.#busy = false;
      }
    }, 1000);
  }

  stop() { clearInterval(this.#timer); }

  async sample() {
    const {publisher, subscriber, state, status} = this.#session;
    // The relay averages over a longer time, so a request every other second is sufficient.
    if (status === "connected" && this.#count++ % 2 === 0) {
      this.relay = await this.#session.request("statistics", {}, {queued: false}).catch(() => this.relay);
    }
    const seen = new Set(), totals = {sent: 0, received: 0, lost: 0, expected: 0, roundTrip: null};
    for (const publication of publisher?.publications ?? []) {
      for (const [kind, transceiver] of publication.senders) {
        this.#sending(publication.id, kind, await transceiver.sender.getStats(), totals, seen);
      }
    }
    for (const stream of subscriber?.wanted.keys() ?? []) {
      // No media arrives from users of other subsessions.
      if (!state.isHere(state.streams.get(stream)?.connection)) continue;
      for (const kind of ["audio", "video"]) {
        const receiver = subscriber.receiver(stream, kind);
        if (receiver) this.#receiving(stream, kind, await receiver.getStats(), totals, seen);
      }
    }
    for (const key of [...this.tracks.keys()]) if (!seen.has(key)) this.tracks.delete(key);
    for (const key of [...this.#before.keys()]) if (!seen.has(key.split("|").slice(0, 3).join("|"))) this.#before.delete(key);
    this.sent.push(totals.sent);
    this.received.push(totals.received);
    this.loss.push(totals.expected > 0 ? Math.max(0, 100 * totals.lost / totals.expected) : 0);
    this.roundTrip.push(totals.roundTrip ?? this.relay?.roundTrip ?? null);
    this.available = this.relay?.availableBitrate ?? null;
  }

  #track(direction, stream, kind, seen) {
    const key = `${direction}|${stream}|${kind}`;
    seen.add(key);
    if (!this.tracks.has(key)) this.tracks.set(key, {key, direction, stream, kind, bitrate: new Line(), fps: new Line(), loss: new Line()});
    const list = direction === "out" ? this.relay?.published : this.relay?.subscribed;
    const track = this.tracks.get(key);
    track.relay = list?.find(one => one.stream === stream && one.kind === kind) ?? null;
    return track;
  }

  /// Returns the increase of a counter per second since the last sample.
  #rate(key, value, time) {
    const before = this.#before.get(key);
    this.#before.set(key, {value, time});
    return before && time > before.time && value >= before.value ? (value - before.value) * 1000 / (time - before.time) : null;
  }

  #sending(stream, kind, report, totals, seen) {
    const track = this.#track("out", stream, kind, seen);
    let bits = 0, fps = null;
    Object.assign(track, {layers: [], width: null, height: null});
    for (const stats of report.values()) {
      if (stats.type === "outbound-rtp") {
        const rate = 8 * (this.#rate(`${track.key}|${stats.ssrc}|bytes`, stats.bytesSent, stats.timestamp) ?? 0);
        bits += rate;
        fps = Math.max(fps ?? 0, stats.framesPerSecond ?? 0);
        if (stats.rid && stats.frameWidth) track.layers.push({rid: stats.rid, width: stats.frameWidth, height: stats.frameHeight, bitrate: rate});
        if (stats.frameWidth > (track.width ?? 0)) [track.width, track.height] = [stats.frameWidth, stats.frameHeight];
      } else if (stats.type === "remote-inbound-rtp" && stats.roundTripTime != null) {
        totals.roundTrip = Math.max(totals.roundTrip ?? 0, 1000 * stats.roundTripTime);
        track.lossNow = 100 * (stats.fractionLost ?? 0);
      }
    }
    track.bitrate.push(bits);
    track.fps.push(fps);
    track.loss.push(track.lossNow ?? 0);
    totals.sent += bits;
  }

  #receiving(stream, kind, report, totals, seen) {
    const track = this.#track("in", stream, kind, seen);
    for (const stats of report.values()) {
      if (stats.type === "inbound-rtp") {
        const bits = 8 * (this.#rate(`${track.key}|bytes`, stats.bytesReceived, stats.timestamp) ?? 0);
        const packets = this.#rate(`${track.key}|packets`, stats.packetsReceived, stats.timestamp) ?? 0;
        const lost = this.#rate(`${track.key}|lost`, Math.max(0, stats.packetsLost), stats.timestamp) ?? 0;
        track.bitrate.push(bits);
        track.fps.push(this.#rate(`${track.key}|frames`, stats.framesDecoded ?? 0, stats.timestamp));
        track.loss.push(packets + lost > 0 ? 100 * lost / (packets + lost) : 0);
        Object.assign(track, {width: stats.frameWidth, height: stats.frameHeight, frames: stats.framesDecoded ?? 0, jitter: 1000 * (stats.jitter ?? 0),
                              level: stats.audioLevel ?? 0, energy: stats.totalAudioEnergy ?? 0, packets: stats.packetsReceived ?? 0});
        totals.received += bits;
        totals.lost += lost;
        totals.expected += packets + lost;
      } else if (stats.type === "candidate-pair" && stats.nominated && stats.currentRoundTripTime != null) {
        totals.roundTrip ??= 1000 * stats.currentRoundTripTime;
      }
    }
  }
}

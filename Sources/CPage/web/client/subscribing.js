// The subscribe peer connection: the relay offers whenever streams change, and this side answers in order.

/// Emits `media` when the tracks of a stream become known or change; its `detail` is the stream id.
export class SubscribePeer extends EventTarget {
  connection = null;
  /// Stream id -> requested preferences.
  wanted = new Map();
  /// Revision of the newest offer that has arrived for the present connection; 0: none.
  received = 0;

  #request; #iceServers; #work = Promise.resolve(); #revision = 0; #unsaid = null; #media = new Map();

  /// `receive(receiver, kind, stream)`: called when a receiver begins to carry a stream.
  constructor(request, iceServers, {onState, receive} = {}) {
    super();
    this.#request = request;
    this.#iceServers = iceServers;
    this.onState = onState;
    this.receive = receive;
  }

  /// Returns the MediaStream of a stream; null before it is offered.
  media(stream) { return this.#media.get(stream) ?? null; }

  /// Returns the receiver of one kind of a stream, for its statistics.
  receiver(stream, kind) {
    const track = this.media(stream)?.getTracks().find(one => one.kind === kind);
    return track && this.connection?.getReceivers().find(receiver => receiver.track === track);
  }

  async subscribe(stream, preferences = {}) {
    if (this.wanted.has(stream)) return this.prefer(stream, preferences);
    this.wanted.set(stream, complete(preferences));
    try {
      await this.#request("subscribe", {stream, preferences: complete(preferences)});
    } catch (error) {
      // An earlier request arrived, but its answer was lost.
      if (error.code === "alreadySubscribed") return;
      this.wanted.delete(stream);
      throw error;
    }
  }

  /// Changes the preferences of a subscription; sends nothing if they are the same.
  async prefer(stream, preferences) {
    const before = this.wanted.get(stream), now = complete(preferences);
    if (!before || JSON.stringify(before) === JSON.stringify(now)) return;
    this.wanted.set(stream, now);
    await this.#request("updateSubscription", {stream, preferences: now});
  }

  async unsubscribe(stream) {
    if (this.forget(stream)) await this.#request("unsubscribe", {stream});
  }

  /// Removes a stream that has ended at the relay. Returns whether it was subscribed.
  forget(stream) {
    this.#media.delete(stream);
    return this.wanted.delete(stream);
  }

  /// Handles an `offer` event. Ignores an older revision, and answers a repeated one again because its answer may have been lost.
  offered({revision, sdp, streams}) {
    this.received = revision;
    this.#work = this.#work.then(async () => {
      if (revision < this.#revision) return;
      this.#revision = revision;
      await this.#answer(revision, sdp, streams);
    }).catch(error => {
      if (!["staleOffer", "notConnected"].includes(error.code)) this.onError?.(error);
    });
    return this.#work;
  }

  /// Sends an unacknowledged answer again after a resume.
  async sayAgain() {
    const answer = this.#unsaid;
    if (answer) await this.#say(answer).catch(error => { if (error.code !== "staleOffer") throw error; });
  }

  /// Asks the relay for new ICE credentials.
  restart() { return this.connection ? this.#request("restartICE") : Promise.resolve(); }

  /// Makes the relay's subscriptions those that are wanted, after a relay has taken them over from one that died: a request may have been lost.
  /// `kept`: streams that the relay has subscriptions to.
  async mend(kept) {
    const known = new Set(kept), requests = [...this.wanted].map(([stream, preferences]) => [known.has(stream) ? "updateSubscription" : "subscribe", {stream, preferences}]);
    for (const stream of known) if (!this.wanted.has(stream)) requests.push(["unsubscribe", {stream}]);
    await Promise.all(requests.map(([method, params]) => this.#request(method, params).catch(error => {
      if (method === "subscribe" && error.code !== "alreadySubscribed") this.wanted.delete(params.stream);
      // The stream may have ended in the meantime.
      if (!["unknownStream", "notSubscribed", "alreadySubscribed", "notConnected"].includes(error.code)) throw error;
    })));
  }

  /// Makes a new peer connection for the same streams, after the relay has lost the old one.
  async renew() {
    const wanted = [...this.wanted];
    this.close();
    await Promise.all(wanted.map(([stream, preferences]) => this.subscribe(stream, preferences).catch(error => {
      // The stream may have ended in the meantime.
      if (!["unknownStream", "notConnected"].includes(error.code)) throw error;
    })));
  }

  close() {
    if (this.connection) this.connection.onconnectionstatechange = null;
    this.connection?.close();
    this.connection = null;
    this.wanted.clear();
    this.#media.clear();
    this.#revision = 0;
    this.received = 0;
    this.#unsaid = null;
  }

  async #answer(revision, sdp, streams) {
    if (!this.connection) {
      this.connection = new RTCPeerConnection({iceServers: this.#iceServers, bundlePolicy: "max-bundle"});
      this.connection.onconnectionstatechange = () => this.onState?.(this.connection.connectionState);
    }
    const {connection} = this;
    await connection.setRemoteDescription({type: "offer", sdp});
    // Before media can flow, and before a section is used again for another stream.
    const byMid = new Map(connection.getTransceivers().map(({mid, receiver}) => [mid, receiver]));
    for (const {id, audioMid, videoMid} of streams) {
      for (const [mid, kind] of [[audioMid, "audio"], [videoMid, "video"]]) if (byMid.has(mid)) this.receive?.(byMid.get(mid), kind, id);
    }
    const answer = await connection.createAnswer();
    await connection.setLocalDescription({type: "answer", sdp: stereo(answer.sdp)});
    this.#map(streams);
    await this.#say({revision, sdp: connection.localDescription.sdp});
  }

  async #say(answer) {
    this.#unsaid = answer;
    await this.#request("answer", answer);
    if (this.#unsaid === answer) this.#unsaid = null;
  }

  /// Assigns tracks to streams by the mids of the offer, because media sections are reused for other streams.
  #map(streams) {
    const byMid = new Map(this.connection.getTransceivers().map(transceiver => [transceiver.mid, transceiver.receiver.track]));
    const offered = new Set(streams.map(stream => stream.id));
    for (const id of [...this.#media.keys()]) if (!offered.has(id)) this.#media.delete(id);
    for (const {id, audioMid, videoMid} of streams) {
      const tracks = [audioMid, videoMid].map(mid => mid != null && byMid.get(mid)).filter(Boolean);
      const known = this.#media.get(id);
      const same = known && known.getTracks().length === tracks.length && tracks.every(track => known.getTracks().includes(track));
      if (same) continue;
      this.#media.set(id, new MediaStream(tracks));
      this.dispatchEvent(new CustomEvent("media", {detail: id}));
    }
  }
}

const complete = ({audio = true, video = true, width, height, frameRate, priority = 50}) =>
  ({audio, video, ...(width && {width}), ...(height && {height}), ...(frameRate && {frameRate}), priority});

/// Adds `stereo=1`, without which Chromium decodes Opus as mono.
const stereo = sdp => sdp.replace(/^(a=fmtp:\d+ (?=.*minptime=)(?!.*stereo=)[^\r\n]*)/gm, "$1;stereo=1");

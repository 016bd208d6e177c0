// The publish peer connection: carries all streams of this client; each offer describes all of them.

/// Frame sizes in pixels from which a browser sends three and two encodings. Chromium sends fewer of a smaller source, and leaves out the
/// largest ones: with three encodings of 640x480 the largest that it sends is 320x240.
const THREE_ENCODINGS = 960 * 540, TWO_ENCODINGS = 480 * 270;
/// RIDs by number of encodings, smallest encoding first.
const RIDS = {2: ["l", "h"], 3: ["l", "m", "h"]};
const SCREEN = [{maxBitrate: 2_500_000}];
/// Codecs whose encodings need a scalability mode: without one, Chromium sends the sizes of VP9 as layers of a single encoding. L1T3 is one
/// size with three temporal layers, which Chromium uses for VP8 by default.
const SCALABLE = new Set(["VP9", "AV1"]), SCALABILITY = "L1T3";

/// Bits a second that VP8 needs for a camera at 30 frames a second: 1.7 Mbit/s for 1280x720, 150 kbit/s for 320x180, at most 2.5 Mbit/s.
const cameraBitrate = pixels => Math.round(Math.min(2.5e6, Math.max(1e5, 1.7e6 * (pixels / (1280 * 720)) ** 0.875)) / 1000) * 1000;

/// Returns the encodings for camera frames of a size, smallest first: each is half as wide as the next, and the last has the full size. A
/// single encoding has no RID. The default size is 1280x720.
export function encodings({width = 1280, height = 720} = {}) {
  const pixels = width * height, count = pixels >= THREE_ENCODINGS ? 3 : pixels >= TWO_ENCODINGS ? 2 : 1;
  return Array.from({length: count}, (_, index) => {
    const scale = 2 ** (count - 1 - index);
    return {...(RIDS[count] && {rid: RIDS[count][index]}), scaleResolutionDownBy: scale, maxBitrate: cameraBitrate(pixels / scale ** 2)};
  });
}

/// Returns the encodings for camera frames of a size in a codec; one encoding if this browser cannot send several in it.
export function encodingsOf(codec, size) {
  if (!SCALABLE.has(codec)) return encodings(size);
  if (hasScalability()) return encodings(size).map(encoding => ({...encoding, scalabilityMode: SCALABILITY}));
  const {rid, ...largest} = encodings(size).at(-1);
  return [largest];
}

/// Returns the codecs of `allowed` that this browser can send, in that order: VP8, H264, VP9, AV1.
export function sendableCodecs(allowed) {
  const known = new Set(RTCRtpSender.getCapabilities?.("video")?.codecs.map(codec => codec.mimeType.slice("video/".length).toUpperCase()) ?? []);
  return allowed.filter(codec => known.has(codec));
}

let isScalable;

/// Whether this browser has scalability modes. A browser without them ignores the member.
function hasScalability() {
  if (isScalable !== undefined) return isScalable;
  const connection = new RTCPeerConnection();
  try {
    const {sender} = connection.addTransceiver("video", {sendEncodings: [{scalabilityMode: SCALABILITY}]});
    isScalable = sender.getParameters().encodings[0]?.scalabilityMode === SCALABILITY;
  } catch {
    isScalable = false;
  }
  connection.close();
  return isScalable;
}

/// Returns the encodings of a sender, adapted to a source of another size. Number and RIDs cannot change, so encodings that are too many
/// for the size are deactivated; the largest active one has the full size.
export function adapted(existing, size) {
  const wanted = encodings(size).slice(-existing.length);
  return existing.map((encoding, index) => {
    const {scaleResolutionDownBy, maxBitrate} = wanted[index] ?? {};
    return wanted[index] ? {...encoding, active: true, scaleResolutionDownBy, maxBitrate} : {...encoding, active: false};
  });
}

/// Published stream of this client.
class Publication {
  id = null;
  senders = new Map();

  constructor(options) {
    Object.assign(this, {name: options.name, videoType: options.videoType, media: options.media, simulcast: options.simulcast,
                         codec: options.codec, isEncrypted: options.isEncrypted});
  }

  track(kind) { return this.media.getTracks().find(track => track.kind === kind); }
  mid(kind) { return this.senders.get(kind)?.mid ?? undefined; }

  /// Width and height of the video in pixels; empty if the browser does not report them.
  get size() {
    const {width, height} = this.track("video")?.getSettings() ?? {};
    return width && height ? {width: Math.round(width), height: Math.round(height)} : {};
  }

  description() {
    return {
      ...(this.id && {id: this.id}), name: this.name, videoType: this.videoType, audioMid: this.mid("audio"), videoMid: this.mid("video"),
      ...this.size, ...(this.isEncrypted && {isEncrypted: true}),
    };
  }
}

export class PublishPeer {
  /// `RTCPeerConnection`, or null before the first stream.
  connection = null;
  publications = [];

  #request; #iceServers; #work = Promise.resolve();

  /// `request(method, params)`: of `Signaling`.
  /// `protect(sender, kind)`: has a sender encrypt; called before its section is offered.
  constructor(request, iceServers, {onState, protect} = {}) {
    this.#request = request;
    this.#iceServers = iceServers;
    this.onState = onState;
    this.protect = protect;
  }

  /// Publishes `media` (a MediaStream with up to one track of each kind). Its publication, once the relay has agreed.
  /// `codec`: one of `sendableCodecs`, of the video.
  publish({name, videoType = "camera", media, simulcast = videoType === "camera", codec = "VP8", isEncrypted = false}) {
    const publication = new Publication({name, videoType, media, simulcast, codec, isEncrypted});
    return this.#inTurn(async () => {
      this.publications.push(publication);
      try {
        this.#attach(publication);
        await this.#offer();
      } catch (error) {
        this.publications = this.publications.filter(other => other !== publication);
        this.#detach(publication);
        throw error;
      }
      return publication;
    });
  }

  /// Stops sending at once, and tells the relay unless `tell` is false because the relay ended the stream.
  unpublish(publication, {tell = true} = {}) {
    for (const track of publication.media.getTracks()) track.stop();
    if (!this.publications.includes(publication)) return Promise.resolve();
    this.publications = this.publications.filter(other => other !== publication);
    return this.#inTurn(async () => {
      this.#detach(publication);
      if (tell && publication.id) await this.#request("unpublish", {stream: publication.id});
    });
  }

  /// Replaces the track of the same kind, for instance by that of another camera, and stops the old one. The stream keeps its id, so
  /// subscribers keep their subscriptions.
  replaceTrack(publication, track) {
    return this.#inTurn(async () => {
      const transceiver = publication.senders.get(track.kind), before = publication.track(track.kind);
      if (!transceiver || !before) throw new Error(`The stream has no ${track.kind}`);
      track.enabled = before.enabled;
      await transceiver.sender.replaceTrack(track);
      // The MediaStream stays the same, so video elements that show it continue.
      publication.media.removeTrack(before);
      publication.media.addTrack(track);
      before.stop();
      if (track.kind === "video" && publication.simulcast) await this.#adapt(publication, transceiver.sender);
    });
  }

  async #adapt(publication, sender) {
    const parameters = sender.getParameters();
    if (!parameters.encodings?.length) return;
    parameters.encodings = adapted(parameters.encodings, publication.size);
    await sender.setParameters(parameters);
  }

  byID(id) { return this.publications.find(publication => publication.id === id); }

  /// Restarts ICE of the existing peer connection.
  restart() {
    return this.#inTurn(async () => {
      if (!this.publications.length) return;
      this.connection.restartIce();
      await this.#offer();
    });
  }

  /// Makes a new peer connection for the same media, after the relay has lost the old one. The streams get new ids unless `keepIDs`.
  renew({keepIDs = true} = {}) {
    return this.#inTurn(async () => {
      this.#drop();
      if (!keepIDs) for (const publication of this.publications) publication.id = null;
      if (!this.publications.length) return;
      for (const publication of this.publications) this.#attach(publication);
      await this.#offer();
    });
  }

  /// Stops all tracks and closes the peer connection.
  close() {
    for (const publication of this.publications.splice(0)) for (const track of publication.media.getTracks()) track.stop();
    this.#drop();
  }

  #drop() {
    if (this.connection) this.connection.onconnectionstatechange = null;
    this.connection?.close();
    this.connection = null;
    for (const publication of this.publications) publication.senders.clear();
  }

  #attach(publication) {
    if (!this.connection) {
      this.connection = new RTCPeerConnection({iceServers: this.#iceServers, bundlePolicy: "max-bundle"});
      this.connection.onconnectionstatechange = () => this.onState?.(this.connection.connectionState);
    }
    for (const kind of ["audio", "video"]) {
      const track = publication.track(kind);
      if (!track) continue;
      const sendEncodings = kind === "audio" ? undefined : publication.simulcast ? encodingsOf(publication.codec, publication.size) : SCREEN;
      // Always adds a media section: a reused one would keep its old encodings.
      const transceiver = this.connection.addTransceiver(track, {
        direction: "sendonly", ...(sendEncodings && {sendEncodings: sendEncodings.map(encoding => ({...encoding}))}),
      });
      if (kind === "video") offerOnly(publication.codec, transceiver);
      if (publication.isEncrypted) this.protect(transceiver.sender, kind);
      publication.senders.set(kind, transceiver);
    }
  }

  #detach(publication) {
    for (const transceiver of publication.senders.values()) {
      try {
        transceiver.stop();
      } catch {
        // The connection is closed, so its transceivers are stopped already.
      }
    }
    publication.senders.clear();
  }

  async #offer() {
    const {connection} = this;
    await connection.setLocalDescription(await connection.createOffer());
    const wanted = [...this.publications];
    try {
      const answer = await this.#request("publish", {sdp: withNACK(connection.localDescription.sdp), streams: wanted.map(p => p.description())});
      await connection.setRemoteDescription({type: "answer", sdp: answer.sdp});
      answer.streams.forEach((id, index) => { wanted[index].id = id; });
    } catch (error) {
      if (connection.signalingState === "have-local-offer") await connection.setLocalDescription({type: "rollback"}).catch(() => {});
      throw error;
    }
  }

  /// Runs negotiations one at a time, in order.
  #inTurn(work) {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => {});
    return turn;
  }
}

/// Adds NACK for Opus (RFC 4585) to an offer, so that the relay may request lost audio. Browsers do not offer it, but Chromium and Safari send
/// audio again if the answer has it.
const withNACK = sdp => sdp.replace(/^a=rtpmap:(\d+) opus\/48000\/2\r\n/gm, (line, type) => {
  const feedback = `a=rtcp-fb:${type} nack\r\n`;
  return sdp.includes(feedback) ? line : line + feedback;
});

/// Offers one codec, so that the relay cannot choose another one.
function offerOnly(name, transceiver) {
  const wanted = [`video/${name}`, "video/rtx"].map(type => type.toLowerCase());
  const codecs = RTCRtpSender.getCapabilities?.("video")?.codecs.filter(codec => wanted.includes(codec.mimeType.toLowerCase())) ?? [];
  if (codecs.length) transceiver.setCodecPreferences?.(codecs);
}

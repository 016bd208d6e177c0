// The publish peer connection: every stream of this client in one, each offer describing it whole.

/// Lowest first, as the layers are ordered.
const SIMULCAST = [
  {rid: "l", scaleResolutionDownBy: 4, maxBitrate: 150_000},
  {rid: "m", scaleResolutionDownBy: 2, maxBitrate: 500_000},
  {rid: "h", scaleResolutionDownBy: 1, maxBitrate: 1_700_000},
];
const SCREEN = [{maxBitrate: 2_500_000}];

/// One stream of this client's.
class Publication {
  id = null;
  senders = new Map();

  constructor(options) {
    Object.assign(this, {name: options.name, videoType: options.videoType, media: options.media, simulcast: options.simulcast});
  }

  track(kind) { return this.media.getTracks().find(track => track.kind === kind); }
  mid(kind) { return this.senders.get(kind)?.mid ?? undefined; }

  description() {
    const {width, height} = this.track("video")?.getSettings() ?? {};
    return {
      ...(this.id && {id: this.id}), name: this.name, videoType: this.videoType, audioMid: this.mid("audio"), videoMid: this.mid("video"),
      ...(width && height && {width: Math.round(width), height: Math.round(height)}),
    };
  }
}

export class PublishPeer {
  /// `RTCPeerConnection`, or null before the first stream.
  connection = null;
  publications = [];

  #request; #iceServers; #work = Promise.resolve();

  /// `request(method, params)`: of `Signaling`.
  constructor(request, iceServers, {onState} = {}) {
    this.#request = request;
    this.#iceServers = iceServers;
    this.onState = onState;
  }

  /// Publishes `media` (a MediaStream with up to one track of each kind). Its publication, once the relay has agreed.
  publish({name, videoType = "camera", media, simulcast = videoType === "camera"}) {
    const publication = new Publication({name, videoType, media, simulcast});
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

  /// Stops sending at once; the relay is told unless it has ended the stream itself.
  unpublish(publication, {tell = true} = {}) {
    for (const track of publication.media.getTracks()) track.stop();
    if (!this.publications.includes(publication)) return Promise.resolve();
    this.publications = this.publications.filter(other => other !== publication);
    return this.#inTurn(async () => {
      this.#detach(publication);
      if (tell && publication.id) await this.#request("unpublish", {stream: publication.id});
    });
  }

  byID(id) { return this.publications.find(publication => publication.id === id); }

  /// New ICE credentials for the path that there is.
  restart() {
    return this.#inTurn(async () => {
      if (!this.publications.length) return;
      this.connection.restartIce();
      await this.#offer();
    });
  }

  /// A new peer connection for the same media: the relay has lost the old one. The streams get new ids unless `keepIDs`.
  renew({keepIDs = true} = {}) {
    return this.#inTurn(async () => {
      this.#drop();
      if (!keepIDs) for (const publication of this.publications) publication.id = null;
      if (!this.publications.length) return;
      for (const publication of this.publications) this.#attach(publication);
      await this.#offer();
    });
  }

  /// Ends all; the tracks are stopped.
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
      const encodings = kind === "audio" ? undefined : publication.simulcast ? SIMULCAST : SCREEN;
      // A section of its own for each stream: one that was used before would keep its encodings.
      const transceiver = this.connection.addTransceiver(track, {
        direction: "sendonly", ...(encodings && {sendEncodings: encodings.map(encoding => ({...encoding}))}),
      });
      if (kind === "video") preferVP8(transceiver);
      publication.senders.set(kind, transceiver);
    }
  }

  #detach(publication) {
    for (const transceiver of publication.senders.values()) {
      try {
        transceiver.stop();
      } catch {
        // the connection is closed, and its transceivers with it
      }
    }
    publication.senders.clear();
  }

  async #offer() {
    const {connection} = this;
    await connection.setLocalDescription(await connection.createOffer());
    const wanted = [...this.publications];
    try {
      const answer = await this.#request("publish", {sdp: connection.localDescription.sdp, streams: wanted.map(p => p.description())});
      await connection.setRemoteDescription({type: "answer", sdp: answer.sdp});
      answer.streams.forEach((id, index) => { wanted[index].id = id; });
    } catch (error) {
      if (connection.signalingState === "have-local-offer") await connection.setLocalDescription({type: "rollback"}).catch(() => {});
      throw error;
    }
  }

  /// One negotiation at a time, in order.
  #inTurn(work) {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => {});
    return turn;
  }
}

/// The relay forwards VP8; nothing else is worth offering.
function preferVP8(transceiver) {
  const codecs = RTCRtpSender.getCapabilities?.("video")?.codecs.filter(codec => /\/(VP8|rtx)$/i.test(codec.mimeType)) ?? [];
  if (codecs.length) transceiver.setCodecPreferences?.(codecs);
}

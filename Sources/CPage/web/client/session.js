// A session: combines signalling, state, chat, conversations and both peer connections. Uses no DOM except the media APIs.

import {Chat} from "./chat.js";
import {Conversations} from "./conversations.js";
import {Encryption} from "./encryption.js";
import {SIGNAL} from "./keyagreement.js";
import {MediaPath} from "./mediapath.js";
import {PublishPeer, sendableCodecs} from "./publishing.js";
import {Signaling} from "./signaling.js";
import {SessionState} from "./state.js";
import {SubscribePeer} from "./subscribing.js";

/// Milliseconds in state `disconnected` after which ICE of a peer connection is restarted.
const PATH_PATIENCE = 4000;

/// Emits
/// - `status`: status of the connection; `detail` is one of notConnected, connecting, connected, reconnecting, disconnecting, failed
/// - `change`: the state changed, see `SessionState`
/// - `media`: tracks of a stream are available; `detail` is the stream's id
/// - `published`: own streams changed
/// - `path`: state of a peer connection; `detail` is `{name, state}`, `name` is publish or subscribe
/// - `keyAgreement`: participants have agreed on other keys (`detail` is null), or do not agree; `detail` is the reason, see `KeyAgreement`
/// - `encryptionFailed`: frames of a stream cannot be decrypted; `detail` is `{stream, reason}`, see `Encryption`
/// - `noPath`: a peer connection had no media path for 10 s, or has one again (`report` is null); `detail` is `{name, report}`, see
///   `MediaPath`
/// - `notice`: message for the user; `detail` is `{text, isError}`
/// - `ended`: the session ended and the client does not reconnect; `detail` is `{reason, message}`
export class Session extends EventTarget {
  state = new SessionState();
  chat = new Chat((...call) => this.request(...call), this.state);
  conversations = new Conversations((...call) => this.request(...call));
  /// End-to-end encryption.
  encryption = new Encryption();
  publisher = null;
  subscriber = null;
  /// Function from a new stream to the preferences of its subscription.
  preferencesFor = () => ({});

  /// Peer connections without a media path: name -> report of `MediaPath`.
  missingPaths = new Map();

  #signaling; #passphrase; #agreesOnKeys = false; #stopped = new Map(); #secret = null; #timers = new Map(); #renewing = new Set(); #paths = new Map();

  constructor(url) {
    super();
    this.#signaling = new Signaling(url, {
      onStatus: status => {
        if (status === "reconnecting") this.conversations.lost();
        this.#emit("status", status);
      },
      onJoined: (answer, again) => this.#joined(answer, again),
      onResumed: answer => this.#resumed(answer),
      latestOffer: () => this.subscriber?.received,
      onEvent: (event, data) => this.#event(event, data),
      onEnded: ending => this.#ended(ending),
    });
    this.state.addEventListener("change", ({detail}) => this.#emit("change", detail));
    this.encryption.addEventListener("failed", ({detail}) => this.#emit("encryptionFailed", detail));
    this.encryption.addEventListener("stopped", ({detail}) => this.#stopVideo(detail));
    this.encryption.addEventListener("agreed", () => {
      this.#restoreVideo();
      this.#emit("keyAgreement", null);
    });
    this.encryption.addEventListener("disagreed", ({detail}) => this.#emit("keyAgreement", detail));
  }

  get status() { return this.#signaling.status; }
  get signalingRoundTrip() { return this.#signaling.roundTrip; }

  /// `passphrase`: of end-to-end encryption; every participant has to use the same one. The relay never gets it. `agreesOnKeys`: the participants
  /// agree on keys instead.
  async join({passphrase, agreesOnKeys = false, ...options}) {
    if (passphrase && agreesOnKeys) throw new Error("Enter a passphrase, or choose automatic keys: not both.");
    if ((passphrase || agreesOnKeys) && !Encryption.isSupported) throw new Error("This browser cannot encrypt end to end. Use a current Chromium, Firefox or Safari.");
    this.#passphrase = passphrase;
    this.#agreesOnKeys = agreesOnKeys;
    return this.#signaling.join({...options, ...(agreesOnKeys && {makeKey: () => this.encryption.makeKey()})});
  }
  cancel() { this.#signaling.cancel(); }
  leave(endForAll = false) { return this.#signaling.leave(endForAll); }
  request(method, params, options) { return this.#signaling.request(method, params, options); }
  reconnect() { this.#signaling.reconnect(); }

  // MARK: Actions of the user

  /// Video codecs that this browser can send and the relay forwards, in the relay's order. Encrypted frames are always VP8, the codec whose
  /// frames `transform.js` can encrypt.
  get codecs() {
    const codecs = sendableCodecs(this.state.videoCodecs);
    return this.encryption.isOn ? codecs.filter(codec => codec === "VP8") : codecs;
  }

  /// `codec`: of `codecs`; VP8 if there is no such codec, or the relay's first one if it does not forward VP8.
  async publish({codec = "VP8", ...options}) {
    await this.#secret;
    const {codecs} = this, chosen = [codec, "VP8"].find(one => codecs.includes(one)) ?? codecs[0] ?? "VP8";
    const publication = await this.publisher.publish({...options, codec: chosen, isEncrypted: this.encryption.isOn});
    for (const track of options.media.getTracks()) this.#watch(publication, track);
    this.#emit("published", publication);
    return publication;
  }

  async unpublish(publication) {
    const done = this.publisher.unpublish(publication);
    this.#emit("published", publication);
    await done;
  }

  /// Replaces the track of the same kind, for instance by that of another camera.
  async replaceTrack(publication, track) {
    await this.publisher.replaceTrack(publication, track);
    this.#watch(publication, track);
    this.#emit("published", publication);
  }

  /// Unpublishes if a track ends outside this page, for instance by the browser's own "Stop sharing".
  #watch(publication, track) {
    track.addEventListener("ended", () => {
      if (publication.media.getTracks().includes(track)) this.unpublish(publication).catch(() => {});
    });
  }

  publication(videoType) { return this.publisher?.publications.find(one => one.videoType === videoType && one.id); }

  /// Mutes or unmutes an own stream at the relay; a muted track is not sent either.
  async setMuted(publication, kind, isMuted) {
    const track = publication.track(kind);
    if (track && isMuted) track.enabled = false;
    await this.request("setMuted", {stream: publication.id, kind, isMuted});
    if (track && !isMuted) track.enabled = true;
  }

  isMuted(publication, kind) {
    const info = this.state.streams.get(publication.id);
    return !!info?.[kind === "audio" ? "isAudioMuted" : "isVideoMuted"] || publication.track(kind)?.enabled === false;
  }

  // MARK: Answers and events of the relay

  #joined(answer, again) {
    if (again) {
      this.subscriber?.close();
      this.#emit("notice", {text: "Joined again: the old connection could not be resumed", isError: false});
    } else {
      this.publisher = new PublishPeer((...call) => this.request(...call), answer.iceServers, {
        onState: state => this.#path("publish", state, () => this.publisher.restart()),
        protect: (sender, kind) => this.encryption.seal(sender, kind, {session: this.state.session, connection: this.state.self}),
      });
    }
    if (this.#passphrase) this.#secret ??= this.encryption.setPassphrase(this.#passphrase, answer.sessionName).then(() => this.#emit("published", null));
    this.subscriber = new SubscribePeer((...call) => this.request(...call), answer.iceServers, {
      onState: state => this.#path("subscribe", state, () => this.subscriber.restart()),
      receive: (receiver, kind, id) => {
        const info = this.state.streams.get(id);
        this.encryption.open(receiver, kind, {session: this.state.session, connection: info?.connection, stream: id, isEncrypted: !!info?.isEncrypted});
      },
    });
    this.subscriber.onError = error => this.#failed("Receiving failed", error);
    this.subscriber.addEventListener("media", ({detail}) => this.#emit("media", detail));
    this.state.reset(answer);
    if (this.#agreesOnKeys) {
      const send = (data, to) => this.request("signal", {type: SIGNAL, data, ...(to && {to})}, {queued: false}).catch(() => {});
      this.encryption.agree({session: this.state.session, connection: this.state.self, send});
      this.#setUsers();
    }
    for (const stream of this.state.otherStreams) this.#subscribe(stream);
    if (again) this.#renew("publish", () => this.publisher.renew({keepIDs: false}));
    this.#openConversations();
  }

  #resumed({publishLost, subscribeLost, snapshot, subscriptions}) {
    const {publisher, subscriber} = this;
    if (snapshot) this.#restored(snapshot, publishLost);
    // A publication without an id was offered, but the answer never arrived.
    if (publishLost || publisher.publications.some(one => !one.id)) this.#renewPublisher();
    else if (publisher.connection && publisher.connection.connectionState !== "connected") this.#restart(publisher);
    if (subscribeLost) this.#renew("subscribe", () => subscriber.renew());
    else {
      if (subscriptions) subscriber.mend(subscriptions).catch(error => this.#failed("Receiving failed", error));
      subscriber.sayAgain().catch(error => this.#failed("Receiving failed", error));
      if (subscriber.connection && subscriber.connection.connectionState !== "connected") this.#restart(subscriber);
    }
    // A `subscribe` that was in progress when the connection was lost may not have arrived.
    for (const stream of this.state.otherStreams) if (!subscriber.wanted.has(stream.id)) this.#subscribe(stream);
    this.encryption.agreement?.resume();
    this.#openConversations();
  }

  /// Replaces the state by a snapshot, which the relay sends in place of missed events that it does not have.
  #restored(snapshot, publishLost) {
    const streams = new Set(snapshot.streams.map(stream => stream.id));
    // An own stream that ended while its peer connection continued was ended by a moderator.
    for (const stream of [...this.state.streams.keys()]) if (!streams.has(stream)) this.#destroyed({stream, reason: publishLost ? "reset" : "forced"});
    this.state.reset(snapshot);
    for (const stream of this.state.ownStreams) this.#follow(stream);
    this.#setUsers();
    this.#emit("published", null);
  }

  #setUsers() {
    const {users, userCount} = this.state;
    this.encryption.agreement?.setUsers(users.values(), userCount <= users.size);
  }

  #openConversations() {
    this.conversations.open(this.state.me?.name).catch(error => this.#failed("Messages cannot be read", error));
  }

  #event(event, data) {
    if (event === "signal" && data.type === SIGNAL) return this.encryption.agreement?.receive(data.data, data.from);
    switch (event) {
    case "offer":
      this.subscriber.offered(data);
      break;
    case "mediaReset":
      if (data.publish) this.#renewPublisher();
      if (data.subscribe) this.#renew("subscribe", () => this.subscriber.renew());
      break;
    case "streamDestroyed":
      this.#destroyed(data);
      break;
    case "unmuteRequested":
      if (data.isUnmuted) this.#unmuted(data.kind);
      break;
    }
    this.state.apply(event, data);
    if (["userJoined", "userChanged", "userLeft", "usersChanged", "userDropped"].includes(event)) this.#setUsers();
    this.chat.apply(event, data);
    this.conversations.apply(event, data);
    if (event === "streamCreated" && data.stream.connection !== this.state.self) this.#subscribe(data.stream);
    if (["streamCreated", "streamChanged"].includes(event) && data.stream.connection === this.state.self) this.#follow(data.stream);
  }

  /// Handles the end of a stream: a subscribed one, or an own one that the relay ended.
  #destroyed({stream, reason}) {
    this.subscriber.forget(stream);
    this.#stopped.delete(stream);
    const own = this.publisher.byID(stream);
    if (!own || reason === "reset") return;
    this.publisher.unpublish(own, {tell: false}).catch(() => {});
    this.#emit("published", own);
  }

  /// Enables the tracks of this user after a moderator unmuted them at the relay.
  #unmuted(kind) {
    for (const publication of this.publisher.publications) {
      const track = publication.track(kind);
      if (track) track.enabled = true;
    }
    this.#emit("published", null);
  }

  /// Disables tracks that are muted at the relay. Never enables one: a stream that was published again is unmuted at the relay although its
  /// user may have muted the previous one. Only `setMuted` and a moderator enable tracks.
  #follow(info) {
    const publication = this.publisher.byID(info.id);
    if (!publication) return;
    for (const [kind, isMuted] of [["audio", info.isAudioMuted], ["video", info.isVideoMuted]]) {
      const track = publication.track(kind);
      if (track && isMuted) track.enabled = false;
    }
  }

  /// Requests preferences of a stream. Video that was stopped because it cannot be decrypted stays stopped.
  prefer(stream, preferences) {
    const isStopped = this.#stopped.has(stream);
    if (isStopped) this.#stopped.set(stream, preferences);
    return this.subscriber.prefer(stream, isStopped ? {...preferences, video: false} : preferences);
  }

  /// Has the relay stop video that cannot be decrypted, because its decoder would keep requesting key frames.
  #stopVideo(stream) {
    const preferences = this.subscriber.wanted.get(stream);
    if (!preferences) return;
    this.#stopped.set(stream, preferences);
    this.prefer(stream, preferences).catch(() => {});
  }

  /// Has the relay send stopped video again, because there are other keys.
  #restoreVideo() {
    for (const [stream, preferences] of this.#stopped) if (this.subscriber.wanted.has(stream)) this.subscriber.prefer(stream, preferences).catch(() => {});
    this.#stopped.clear();
  }

  #subscribe(stream) {
    if (!this.state.capabilities?.canSubscribe) return;
    if (stream.isEncrypted && !Encryption.isSupported) return this.#failed("A stream cannot be received", new Error("it is encrypted, and this browser cannot decrypt"));
    this.subscriber.subscribe(stream.id, this.preferencesFor(stream)).catch(error => {
      // The stream may have ended before the request arrived.
      if (!["unknownStream", "notConnected"].includes(error.code)) this.#failed("A stream cannot be received", error);
    });
  }

  /// Renews the publish peer connection with the same stream ids; with new ids if the relay has ended the streams.
  #renewPublisher() {
    return this.#renew("publish", () => this.publisher.renew({keepIDs: true}).catch(error => {
      if (error.code !== "unknownStream") throw error;
      return this.publisher.renew({keepIDs: false});
    }));
  }

  /// Runs `work` unless a renewal of the same peer connection is in progress: the answer to `resume` and `mediaReset` report the same loss.
  async #renew(name, work) {
    if (this.#renewing.has(name)) return;
    this.#renewing.add(name);
    try {
      await work();
    } catch (error) {
      if (error.code !== "notConnected") this.#failed("The media connection could not be restored", error);
    }
    this.#renewing.delete(name);
    this.#emit("published", null);
  }

  /// Restarts ICE if the path has failed or stays disconnected for `PATH_PATIENCE`.
  #path(name, state, restart) {
    clearTimeout(this.#timers.get(name));
    this.#mediaPath(name).changed();
    if (state === "failed") this.#restart({restart});
    if (state === "disconnected") this.#timers.set(name, setTimeout(() => this.#restart({restart}), PATH_PATIENCE));
    this.#emit("path", {name, state});
  }

  #peer(name) { return name === "publish" ? this.publisher : this.subscriber; }

  #mediaPath(name) {
    if (!this.#paths.has(name)) {
      const isNeeded = () => this.status === "connected" && (name === "publish" ? this.publisher.publications.length : this.subscriber.wanted.size) > 0;
      this.#paths.set(name, new MediaPath(() => this.#peer(name)?.connection, report => {
        if (report) this.missingPaths.set(name, report);
        else this.missingPaths.delete(name);
        this.#emit("noPath", {name, report});
      }, {isNeeded}));
    }
    return this.#paths.get(name);
  }

  #restart(peer) {
    if (this.status === "connected") Promise.resolve(peer.restart()).catch(error => this.#failed("The media path is lost", error));
  }

  #ended(ending) {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const path of this.#paths.values()) path.end();
    this.publisher?.close();
    this.subscriber?.close();
    this.encryption.close();
    this.#secret = null;
    this.conversations.clear();
    this.chat.clear();
    this.state.clear();
    this.#emit("ended", ending);
  }

  #failed(what, error) {
    this.#emit("notice", {text: `${what}: ${error.message}`, isError: true});
  }

  #emit(type, detail) { this.dispatchEvent(new CustomEvent(type, {detail})); }
}

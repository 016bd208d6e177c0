// A session as a page uses it: signalling, state, chats and both peer connections put together. No DOM in here but what media needs.

import {Chat} from "./chat.js";
import {Conversations} from "./conversations.js";
import {Encryption} from "./encryption.js";
import {MediaPath} from "./mediapath.js";
import {PublishPeer} from "./publishing.js";
import {Signaling} from "./signaling.js";
import {SessionState} from "./state.js";
import {SubscribePeer} from "./subscribing.js";

/// Milliseconds that a peer connection may be without a path before its ICE is restarted.
const PATH_PATIENCE = 4000;

/// Emits
/// - `status`: of the connection, `detail` one of notConnected, connecting, connected, reconnecting, disconnecting, failed
/// - `change`: of the state, see `SessionState`
/// - `media`: tracks of a stream came, `detail` its id
/// - `published`: own streams came or went
/// - `path`: of a peer connection, `detail` `{name, state}`, `name` publish or subscribe
/// - `encryptionFailed`: frames of a stream cannot be decrypted, `detail` `{stream, reason}`, see `Encryption`
/// - `noPath`: a peer connection has no media path for 10 s, or has one again, `detail` `{name, report}`, `report` null or see `MediaPath`
/// - `notice`: something to tell the user, `detail` `{text, isError}`
/// - `ended`: for good, `detail` `{reason, message}`
export class Session extends EventTarget {
  state = new SessionState();
  /// What is said within the session, and outside it.
  chat = new Chat((...call) => this.request(...call), this.state);
  conversations = new Conversations((...call) => this.request(...call));
  /// End-to-end encryption.
  encryption = new Encryption();
  publisher = null;
  subscriber = null;
  /// What a new stream's subscription begins with: a function of the stream.
  preferencesFor = () => ({});

  /// Peer connections without a media path: name -> report of `MediaPath`.
  missingPaths = new Map();

  #signaling; #passphrase; #secret = null; #timers = new Map(); #renewing = new Set(); #paths = new Map();

  constructor(url) {
    super();
    this.#signaling = new Signaling(url, {
      onStatus: status => {
        if (status === "reconnecting") this.conversations.lost();
        this.#emit("status", status);
      },
      onJoined: (answer, again) => this.#joined(answer, again),
      onResumed: answer => this.#resumed(answer),
      onEvent: (event, data) => this.#event(event, data),
      onEnded: ending => this.#ended(ending),
    });
    this.state.addEventListener("change", ({detail}) => this.#emit("change", detail));
    this.encryption.addEventListener("failed", ({detail}) => this.#emit("encryptionFailed", detail));
    this.encryption.addEventListener("stopped", ({detail}) => this.#stopVideo(detail));
  }

  get status() { return this.#signaling.status; }
  get signalingRoundTrip() { return this.#signaling.roundTrip; }

  /// `passphrase`: of end-to-end encryption; every participant has to use the same one. The relay never gets it.
  async join({passphrase, ...options}) {
    if (passphrase && !Encryption.isSupported) throw new Error("This browser cannot encrypt end to end. Use a current Chromium, Firefox or Safari.");
    this.#passphrase = passphrase;
    return this.#signaling.join(options);
  }
  cancel() { this.#signaling.cancel(); }
  leave(endForAll = false) { return this.#signaling.leave(endForAll); }
  request(method, params, options) { return this.#signaling.request(method, params, options); }
  reconnect() { this.#signaling.reconnect(); }

  // MARK: what a user does

  async publish(options) {
    await this.#secret;
    const publication = await this.publisher.publish({...options, isEncrypted: this.encryption.isOn});
    for (const track of options.media.getTracks()) this.#watch(publication, track);
    this.#emit("published", publication);
    return publication;
  }

  async unpublish(publication) {
    const done = this.publisher.unpublish(publication);
    this.#emit("published", publication);
    await done;
  }

  /// Sends another track, for instance of another camera, in the place of the one of its kind.
  async replaceTrack(publication, track) {
    await this.publisher.replaceTrack(publication, track);
    this.#watch(publication, track);
    this.#emit("published", publication);
  }

  /// It was ended outside this page: the browser's own "stop sharing".
  #watch(publication, track) {
    track.addEventListener("ended", () => {
      if (publication.media.getTracks().includes(track)) this.unpublish(publication).catch(() => {});
    });
  }

  publication(videoType) { return this.publisher?.publications.find(one => one.videoType === videoType && one.id); }

  /// Mutes or unmutes one's own stream; what is muted is not even sent.
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

  // MARK: what the relay says

  #joined(answer, again) {
    if (again) {
      this.subscriber?.close();
      this.#emit("notice", {text: "Joined anew: the relay had given the old connection up", isError: false});
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
    for (const stream of this.state.otherStreams) this.#subscribe(stream);
    if (again) this.#renew("publish", () => this.publisher.renew({keepIDs: false}));
    this.#openConversations();
  }

  #resumed({publishLost, subscribeLost}) {
    const {publisher, subscriber} = this;
    // An offer that never reached the relay is not known there.
    if (publishLost || publisher.publications.some(one => !one.id)) this.#renewPublisher();
    else if (publisher.connection && publisher.connection.connectionState !== "connected") this.#restart(publisher);
    if (subscribeLost) this.#renew("subscribe", () => subscriber.renew());
    else {
      subscriber.sayAgain().catch(error => this.#failed("Receiving failed", error));
      if (subscriber.connection && subscriber.connection.connectionState !== "connected") this.#restart(subscriber);
    }
    // Requests that were under way when the connection was lost may not have arrived.
    for (const stream of this.state.otherStreams) if (!subscriber.wanted.has(stream.id)) this.#subscribe(stream);
    this.#openConversations();
  }

  #openConversations() {
    this.conversations.open(this.state.me?.name).catch(error => this.#failed("Messages cannot be read", error));
  }

  #event(event, data) {
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
    this.chat.apply(event, data);
    this.conversations.apply(event, data);
    if (event === "streamCreated" && data.stream.connection !== this.state.self) this.#subscribe(data.stream);
    if (["streamCreated", "streamChanged"].includes(event) && data.stream.connection === this.state.self) this.#follow(data.stream);
  }

  /// The relay has ended a stream: a subscription of this client's, or what it published itself.
  #destroyed({stream, reason}) {
    this.subscriber.forget(stream);
    const own = this.publisher.byID(stream);
    if (!own || reason === "reset") return;
    this.publisher.unpublish(own, {tell: false}).catch(() => {});
    this.#emit("published", own);
  }

  /// A moderator has unmuted this user's streams at the relay.
  #unmuted(kind) {
    for (const publication of this.publisher.publications) {
      const track = publication.track(kind);
      if (track) track.enabled = true;
    }
    this.#emit("published", null);
  }

  /// A muted track is not sent, because the relay drops it. Only `setMuted` and a moderator switch a track on again: a stream that was published again is
  /// unmuted at the relay, and its user may have muted the one before.
  #follow(info) {
    const publication = this.publisher.byID(info.id);
    if (!publication) return;
    for (const [kind, isMuted] of [["audio", info.isAudioMuted], ["video", info.isVideoMuted]]) {
      const track = publication.track(kind);
      if (track && isMuted) track.enabled = false;
    }
  }

  /// Nothing of the video can be decrypted: its frames would only cost key frames.
  #stopVideo(stream) {
    const preferences = this.subscriber.wanted.get(stream);
    if (preferences) this.subscriber.prefer(stream, {...preferences, video: false}).catch(() => {});
  }

  #subscribe(stream) {
    if (!this.state.capabilities?.canSubscribe) return;
    if (stream.isEncrypted && !Encryption.isSupported) return this.#failed("A stream cannot be received", new Error("it is encrypted, and this browser cannot decrypt"));
    this.subscriber.subscribe(stream.id, this.preferencesFor(stream)).catch(error => {
      // It may have ended while the request was on its way.
      if (!["unknownStream", "notConnected"].includes(error.code)) this.#failed("A stream cannot be received", error);
    });
  }

  /// Where the streams have ended with the old peer connection they begin as new ones.
  #renewPublisher() {
    return this.#renew("publish", () => this.publisher.renew({keepIDs: true}).catch(error => {
      if (error.code !== "unknownStream") throw error;
      return this.publisher.renew({keepIDs: false});
    }));
  }

  /// A loss is told twice, by the answer to `resume` and by an event; once is enough.
  async #renew(name, work) {
    if (this.#renewing.has(name)) return;
    this.#renewing.add(name);
    try {
      await work();
    } catch (error) {
      if (error.code !== "notConnected") this.#failed("The media could not be taken up again", error);
    }
    this.#renewing.delete(name);
    this.#emit("published", null);
  }

  /// A path that does not come back by itself is sought anew.
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

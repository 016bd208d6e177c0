// The state of the session: users, streams, roles, subsessions. An event is applied before listeners are called.

import {Subsessions} from "./subsessions.js";

/// Emits `change` after every event; its `detail` is `{event, data, before}`, where `before` is the previous user, stream or state (for
/// `usersChanged`, a map of all users). If an event moves this user to another subsession, an event `ownSubsessionChanged` follows: `data` is the
/// new subsession and `before` the previous one.
export class SessionState extends EventTarget {
  users = new Map();
  /// Number of users of the session. Exceeds `users.size` in a large session, which lists only users with a stream or a role.
  userCount = 0;
  streams = new Map();
  /// Own connection id.
  self = null;
  session = null;
  sessionName = "";
  capabilities = null;
  /// Video codecs that the relay forwards, in its order. A relay that does not tell forwards VP8 alone.
  videoCodecs = ["VP8"];
  /// Ids of the streams that the relay records.
  recordedStreams = new Set();
  /// Streams that are pushed to other servers: from the id of the live stream to `{stream, isLive}`.
  liveStreams = new Map();
  isMuteForced = false;
  isShareLocked = false;
  isChatAllowed = true;
  subsessions = new Subsessions();
  /// Id of the stream of the active speaker.
  activeSpeaker = null;

  /// Replaces the state by the answer to `join`, or by a snapshot for the same connection. `before` of the event `reset` is the previous
  /// connection id.
  reset(answer) {
    const before = this.self;
    this.self = answer.connection;
    this.session = answer.session;
    this.sessionName = answer.sessionName;
    this.capabilities = answer.capabilities;
    this.videoCodecs = answer.videoCodecs ?? ["VP8"];
    this.users = new Map(answer.users.map(user => [user.id, user]));
    this.userCount = Math.max(answer.userCount ?? 0, this.users.size);
    this.streams = new Map(answer.streams.map(stream => [stream.id, stream]));
    this.recordedStreams = new Set(answer.recordedStreams);
    this.liveStreams.clear();
    this.isMuteForced = answer.isMuteForced;
    this.isShareLocked = answer.isShareLocked;
    this.isChatAllowed = answer.isChatAllowed ?? true;
    this.subsessions.clear();
    this.subsessions.reset(answer.subsessions);
    this.activeSpeaker = null;
    this.#tell("reset", answer, before);
  }

  clear() {
    this.users.clear();
    this.userCount = 0;
    this.streams.clear();
    this.recordedStreams.clear();
    this.liveStreams.clear();
    this.subsessions.clear();
    this.self = null;
    this.capabilities = null;
    this.#tell("reset", null);
  }

  /// Applies one event of the relay and emits `change`, also for events that do not affect the state.
  apply(event, data) {
    const previous = this.ownSubsession;
    let before;
    switch (event) {
    case "userJoined":
    case "userChanged":
      before = this.users.get(data.user.id);
      this.users.set(data.user.id, data.user);
      if (event === "userJoined") this.userCount = this.users.size;
      break;
    case "userLeft":
      before = this.users.get(data.user);
      this.users.delete(data.user);
      this.userCount = this.users.size;
      break;
    case "usersChanged":
      before = new Map(this.users);
      for (const user of data.joined) this.users.set(user.id, user);
      for (const {user} of data.left) this.users.delete(user);
      for (const user of data.unlisted) if (user !== this.self) this.users.delete(user);
      this.userCount = data.count;
      break;
    case "userDropped":
      before = this.users.get(data.user);
      if (before) this.users.set(data.user, {...before, isConnected: !data.isDropped});
      for (const stream of this.streamsOf(data.user)) this.streams.set(stream.id, {...stream, isDropped: data.isDropped});
      break;
    case "hostChanged":
      before = this.host;
      for (const user of this.users.values()) {
        if (user.id === data.host) this.users.set(user.id, {...user, role: "host"});
        else if (user.role === "host") this.users.set(user.id, {...user, role: "participant"});
      }
      break;
    case "streamCreated":
    case "streamChanged":
      before = this.streams.get(data.stream.id);
      this.streams.set(data.stream.id, data.stream);
      break;
    case "streamDestroyed":
      before = this.streams.get(data.stream);
      this.streams.delete(data.stream);
      if (this.activeSpeaker === data.stream) this.activeSpeaker = null;
      break;
    case "recordingStarted":
      before = this.isRecorded;
      this.recordedStreams.add(data.stream);
      break;
    case "recordingStopped":
      before = this.isRecorded;
      this.recordedStreams.delete(data.stream);
      break;
    case "liveStarted":
      before = this.isLive;
      this.liveStreams.set(data.id, {stream: data.stream, isLive: true});
      break;
    case "liveFailed":
      this.liveStreams.set(data.id, {stream: data.stream, isLive: false});
      break;
    case "liveStopped":
      before = this.isLive;
      this.liveStreams.delete(data.id);
      break;
    case "muteForced":
      before = this.isMuteForced;
      if (data.stream == null) this.isMuteForced = data.isActive;
      break;
    case "shareLockChanged":
      this.isShareLocked = data.isLocked;
      break;
    case "chatAllowedChanged":
      this.isChatAllowed = data.isAllowed;
      break;
    case "activeSpeaker":
      this.activeSpeaker = data.stream ?? null;
      break;
    }
    this.subsessions.apply(event, data);
    this.#tell(event, data, before);
    if (this.ownSubsession?.id !== previous?.id) this.#tell("ownSubsessionChanged", this.ownSubsession, previous);
  }

  /// Adds a live stream that does not reach its server yet.
  connecting(id, stream) {
    if (!this.liveStreams.has(id)) this.liveStreams.set(id, {stream, isLive: false});
  }

  get me() { return this.users.get(this.self); }
  /// The subsession that this user is in; null in the main session.
  get ownSubsession() { return this.subsessions.subsessionOf(this.self); }
  get host() { return [...this.users.values()].find(user => user.role === "host"); }
  /// Whether anything of the session is recorded.
  get isRecorded() { return this.recordedStreams.size > 0; }
  /// Whether a stream of the session reaches another server.
  get isLive() { return [...this.liveStreams.values()].some(live => live.isLive); }
  get ownStreams() { return this.streamsOf(this.self); }
  get otherStreams() { return [...this.streams.values()].filter(stream => stream.connection !== this.self); }

  streamsOf(user) { return [...this.streams.values()].filter(stream => stream.connection === user); }

  /// Whether a user is in the same subsession as this one (or both in the main session), so that media flows between them.
  isHere(user) { return this.subsessions.of(user) === this.subsessions.of(this.self); }

  /// Permissions of this user as far as the client knows them, to show or hide controls; the relay checks each request.
  get may() {
    const role = this.me?.role, can = this.capabilities ?? {};
    const moderates = role === "host" || role === "manager";
    return {
      publish: can.canPublish ?? false,
      share: (can.canPublish ?? false) && (moderates || !this.isShareLocked),
      moderate: moderates,
      forceMute: can.canForceMute ?? false,
      lockShare: moderates,
      endForAll: role === "host",
      goLive: role === "host",
      commitSubsessions: role === "host",
      manageSubsessions: this.subsessions.isManager,
      allowChat: role === "host",
      rename: user => user.id === this.self || moderates,
      mute: user => user.id !== this.self && (moderates || !!can.canForceMute),
      askToUnmute: user => user.id !== this.self && user.kind === "client" && (moderates || !!can.canForceMute),
      makeHost: user => user.id !== this.self && user.kind === "client" && role === "host",
      setManager: user => user.id !== this.self && user.kind === "client" && role === "host",
      remove: user => user.id !== this.self && (role === "host" || (user.role !== "host" && (moderates || !!can.canForceDisconnect))),
    };
  }

  #tell(event, data, before) {
    this.dispatchEvent(new CustomEvent("change", {detail: {event, data, before}}));
  }
}

// The control protocol: JSON messages over one WebSocket (docs/protocol.md). Sends requests, matches answers, orders numbered events, and
// resumes a lost connection. Does not depend on users, media or the DOM.

export const VERSION = 1;
export const SUBPROTOCOL = "millrace.v1";

/// A refused request. `code` is one of the protocol's error codes; the relay sends it, or this client sets it.
export class SignalingError extends Error {
  constructor(code, message, {field, limit, retryAfter} = {}) {
    super(message ?? code);
    Object.assign(this, {name: "SignalingError", code, field, limit, retryAfter});
  }
}

/// Transient errors: the same request may succeed later on the same connection, because a limit was reached, the relay's disk refused a
/// write, or the answer timed out.
export const PASSING = new Set(["connectFailed", "rateLimited", "limitReached", "storageFailed", "internalError", "draining", "requestTimeout"]);
/// Returns the milliseconds to wait before the next attempt: `retryAfter` of the error, else 2 s.
export const pauseAfter = error => 1000 * (error.retryAfter || 2);

/// Reasons of a `disconnected` event after which the client reconnects automatically.
const COMES_BACK = new Set(["networkLost", "slowConsumer", "relayShutdown"]);
/// Maximum milliseconds between two attempts to reconnect; the first pause is 250 ms and doubles.
const LONGEST_PAUSE = 4000;
/// Timeout for opening a WebSocket, in milliseconds.
const OPEN_TIME = 8000;
/// Timeout for an answer, in milliseconds.
const ANSWER_TIME = 20_000;
/// Milliseconds after the loss of a connection during which the client tries to reconnect.
const PATIENCE = 300_000;
/// Maximum number of requests that wait for a connection; further ones are refused.
const MAXIMUM_QUEUE = 200;
/// Maximum number of users of a session, and of events that are held while the pages of users are read. Both bound memory if a relay sends
/// pages without end.
const MAXIMUM_USERS = 100_000;
const MAXIMUM_HELD = 10_000;
/// `lastEvent` of a client that lost its connection before it had the whole of a snapshot: larger than the number of any event.
const WITHOUT_STATE = Number.MAX_SAFE_INTEGER;

/// Connection of the control protocol. It survives the loss of its WebSocket by resuming on another one.
///
/// Callbacks, all optional: `onStatus(status)`, `onJoined(answer, again)`, `onResumed(answer)` (with a `snapshot`, like the answer to `join`, if
/// the relay does not have the missed events), `latestOffer()` (revision of the newest offer for the present subscribe peer connection, if any),
/// `onEvent(name, data)`,
/// `onEnded({reason, message})`. Events arrive in order and exactly once.
export class Signaling {
  status = "notConnected";
  /// Round trip of the last ping, in milliseconds.
  roundTrip = null;

  #url; #socket = null; #join = null; #makeKey = null; #answer = null; #lastEvent = 0; #nextID = 1;
  /// Events that arrived while the pages of users of a join or snapshot were being read; null if no pages are being read.
  #held = null;
  #opening = null; #open = new Map(); #queue = []; #pingTimer = 0; #pauseTimer = 0; #heard = 0; #attempt = 0; #lostAt = 0; #over = null;
  /// Requests that are repeated when the connection is resumed.
  #unanswered = [];

  /// `url`: the `ws:` or `wss:` URL of `/v1/connect`.
  constructor(url, callbacks = {}) {
    this.#url = url;
    Object.assign(this, callbacks);
  }

  /// Joins a session. After `passwordNeeded` or `passwordWrong` the WebSocket stays open, and `join` may be called again.
  /// `makeKey()`, if given, returns the public key of each join, see `KeyAgreement`.
  async join({session, name, token, password, makeKey = null}) {
    const params = {version: VERSION, session, name, client: `page ${navigator.userAgent}`.slice(0, 200)};
    if (token) params.token = token;
    if (password) params.password = password;
    this.#join = params;
    this.#makeKey = makeKey;
    if (this.#socket?.readyState !== WebSocket.OPEN) {
      this.#setStatus("connecting");
      try {
        await this.#connect();
      } catch (error) {
        this.#joinFailed();
        throw error;
      }
    }
    try {
      this.#joined(await this.#enter(params), false);
    } catch (error) {
      if (!["passwordNeeded", "passwordWrong"].includes(error.code)) {
        this.#closeSocket();
        this.#joinFailed();
      }
      throw error;
    }
    return this.#answer;
  }

  /// Cancels a join that waits for a password or is in progress; the latter fails with `notConnected`.
  cancel() {
    this.#closeSocket();
    this.#setStatus("notConnected");
  }

  /// Sends a request and resolves with its answer, or throws a `SignalingError`. While the connection is lost, the request waits unless
  /// `queued` is false. `isRepeatable`: the request carries an id by which the relay detects duplicates; it is sent again after a resume if
  /// its answer was lost. `isLocal`: a waiting request fails if the client has to join again, because it then starts in the main session.
  request(method, params = {}, {queued = true, isRepeatable = false, isLocal = false} = {}) {
    if (this.status === "connected") return this.#send(method, params, isRepeatable);
    if (this.status !== "reconnecting") return Promise.reject(new SignalingError("notConnected", "There is no connection"));
    if (!queued || this.#queue.length >= MAXIMUM_QUEUE) {
      return Promise.reject(new SignalingError("notConnected", "The connection is lost"));
    }
    return new Promise((done, failed) => this.#queue.push({method, params, isRepeatable, isLocal, done, failed}));
  }

  /// Leaves the session; the client does not reconnect.
  async leave(endForAll = false) {
    if (this.status === "connected") {
      if (endForAll) await this.#send("leave", {endForAll});
      else {
        this.#setStatus("disconnecting");
        await Promise.race([this.#send("leave", {endForAll}), wait(1500)]).catch(() => {});
      }
    }
    this.#finish({reason: "left"});
  }

  /// Closes the WebSocket and reconnects, as after a loss. Called when the network has changed.
  reconnect() {
    if (this.status === "connected") this.#lost();
    else if (this.status === "reconnecting") this.#tryAgain(0);
  }

  // MARK: WebSocket

  #connect() {
    return new Promise((done, failed) => {
      let socket;
      try {
        socket = new WebSocket(this.#url, SUBPROTOCOL);
      } catch (error) {
        return failed(new SignalingError("connectFailed", error.message));
      }
      this.#socket = socket;
      this.#opening = failed;
      const timer = setTimeout(() => socket.close(), OPEN_TIME);
      socket.onopen = () => {
        clearTimeout(timer);
        this.#heard = performance.now();
        done();
      };
      socket.onmessage = ({data}) => socket === this.#socket && this.#receive(data);
      socket.onclose = () => {
        clearTimeout(timer);
        failed(new SignalingError("connectFailed", "The relay could not be reached"));
        if (socket === this.#socket) this.#lost();
      };
    });
  }

  /// `isLost`: the client will reconnect, so repeatable requests are kept.
  #closeSocket(isLost = false) {
    const socket = this.#socket;
    this.#socket = null;
    this.#held = null;
    clearInterval(this.#pingTimer);
    if (socket) {
      socket.onopen = socket.onclose = socket.onmessage = null;
      socket.close();
    }
    // `socket.onclose` was removed above, so a pending `#connect` has to fail here. If the socket was open, this has no effect.
    this.#opening?.(new SignalingError("notConnected", "The connection was given up"));
    this.#opening = null;
    for (const {failed, keep} of this.#open.values()) {
      if (isLost && keep) keep();
      else failed(unanswered());
    }
    this.#open.clear();
  }

  /// Fails the requests that waited for a resume.
  #giveUp() {
    for (const {failed} of this.#unanswered.splice(0)) failed(unanswered());
  }

  #send(method, params, isRepeatable = false) {
    return new Promise((done, failed) => {
      const id = this.#nextID++;
      const timer = setTimeout(() => {
        if (this.#open.delete(id)) failed(new SignalingError("connectFailed", `The relay has not answered ${method}`));
      }, ANSWER_TIME);
      this.#open.set(id, {done: answer => { clearTimeout(timer); done(answer); }, failed: error => { clearTimeout(timer); failed(error); },
                          keep: isRepeatable && (() => { clearTimeout(timer); this.#unanswered.push({method, params, done, failed}); })});
      this.#socket.send(JSON.stringify({id, method, params}));
    });
  }

  #receive(text) {
    this.#heard = performance.now();
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return this.#lost();
    }
    if (message.event !== undefined) return this.#receiveEvent(message);
    const waiting = this.#open.get(message.id);
    if (!waiting) return;
    this.#open.delete(message.id);
    const {error} = message;
    if (error) waiting.failed(new SignalingError(error.code, error.message, error));
    else waiting.done(message.result ?? {});
  }

  #receiveEvent(message) {
    if (this.#held && message.seq !== 0) {
      if (this.#held.push(message) > MAXIMUM_HELD) this.#lost();
      return;
    }
    const {seq, event, data} = message;
    // Events of conversations are not numbered and not replayed; their content can be requested.
    if (seq === 0) return this.onEvent?.(event, data);
    // A replay may start with events that are known already. A gap means that an event was lost: reconnecting requests it again.
    if (seq <= this.#lastEvent) return;
    if (seq !== this.#lastEvent + 1) return this.#lost();
    this.#lastEvent = seq;
    if (event === "disconnected") return this.#disconnected(data);
    this.onEvent?.(event, data);
  }

  // MARK: Life cycle

  async #enter(params) {
    if (this.#makeKey) params.e2eeKey = await this.#makeKey();
    return this.#complete(await this.#send("join", params));
  }

  /// Reads all pages of users of an answer to `join` or a snapshot; the returned one contains all of them.
  async #complete(answer) {
    if (answer.nextPage == null) return answer;
    this.#held = [];
    const users = new Map(answer.users.map(user => [user.id, user])), streams = new Map(answer.streams.map(stream => [stream.id, stream]));
    for (let after = answer.nextPage; after != null;) {
      const page = await this.#send("users", {after});
      for (const user of page.users) users.set(user.id, user);
      for (const stream of page.streams) streams.set(stream.id, stream);
      after = page.nextPage > after && users.size < MAXIMUM_USERS ? page.nextPage : null;
    }
    return {...answer, users: [...users.values()], streams: [...streams.values()], nextPage: null};
  }

  #joined(answer, again) {
    this.#answer = answer;
    this.#lastEvent = 0;
    this.#connected();
    this.onJoined?.(answer, again);
    this.#receiveHeld();
    // The relay detects duplicates per connection id, and a new join has a new one.
    this.#giveUp();
    this.#queue = this.#queue.filter(({isLocal, failed}) => {
      if (isLocal) failed(unanswered());
      return !isLocal;
    });
    this.#flush();
  }

  #receiveHeld() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#receiveEvent(message);
  }

  #connected() {
    this.#attempt = 0;
    this.#lostAt = 0;
    const interval = this.#answer.pingInterval ?? 10_000;
    clearInterval(this.#pingTimer);
    this.#pingTimer = setInterval(() => this.#ping(interval), interval);
    this.#setStatus("connected");
  }

  #ping(interval) {
    if (performance.now() - this.#heard > 2.5 * interval) return this.#lost();
    const began = performance.now();
    this.#send("ping", {}).then(() => { this.roundTrip = performance.now() - began; }, () => {});
  }

  #flush() {
    for (const {method, params, isRepeatable, done, failed} of this.#queue.splice(0)) {
      this.#send(method, params, isRepeatable).then(done, failed);
    }
  }

  #disconnected({reason, message}) {
    if (COMES_BACK.has(reason)) {
      // This connection cannot be resumed; the client joins again.
      this.#answer = {...this.#answer, resumeToken: null};
      return this.#lost();
    }
    this.#finish({reason, message});
  }

  #finish(ending) {
    if (this.#over) return;
    this.#over = ending;
    clearTimeout(this.#pauseTimer);
    this.#closeSocket();
    this.#giveUp();
    for (const {failed} of this.#queue.splice(0)) failed(new SignalingError("notConnected", "The connection has ended"));
    this.#setStatus(ending.reason === "left" ? "notConnected" : "failed");
    this.onEnded?.(ending);
  }

  #lost() {
    const before = this.status, comesBack = !this.#over && this.#answer && ["connected", "reconnecting"].includes(before);
    this.#closeSocket(comesBack);
    if (!comesBack) return;
    if (before === "connected") {
      this.#lostAt = performance.now();
      this.#setStatus("reconnecting");
    }
    this.#tryAgain(Math.min(LONGEST_PAUSE, 250 * 2 ** this.#attempt++) * (0.75 + Math.random() / 2));
  }

  #tryAgain(pause) {
    clearTimeout(this.#pauseTimer);
    this.#pauseTimer = setTimeout(() => this.#comeBack(), pause);
  }

  async #comeBack() {
    if (performance.now() - this.#lostAt > PATIENCE) return this.#finish({reason: "networkLost"});
    this.#closeSocket();
    try {
      await this.#connect();
    } catch {
      return;  // `onclose` has scheduled the next attempt
    }
    try {
      const token = this.#answer.resumeToken;
      if (token) await this.#resume(token);
      else this.#joined(await this.#enter(this.#join), true);
    } catch (error) {
      this.#refused(error);
    }
  }

  async #resume(resumeToken) {
    const offer = this.latestOffer?.();
    const answer = await this.#send("resume", {version: VERSION, resumeToken, lastEvent: this.#lastEvent, snapshots: true, ...(offer && {offer})});
    if (answer.snapshot) {
      // If the connection is lost before the last page, another snapshot is needed.
      this.#lastEvent = WITHOUT_STATE;
      this.#answer = answer.snapshot = await this.#complete(answer.snapshot);
      this.#lastEvent = 0;
    }
    this.#connected();
    this.onResumed?.(answer);
    this.#receiveHeld();
    for (const {method, params, done, failed} of this.#unanswered.splice(0)) this.#send(method, params, true).then(done, failed);
    this.#flush();
  }

  #refused(error) {
    // `notConnected`: the socket was lost, which has scheduled the next attempt. `connectFailed`: the answer timed out.
    if (this.#over || error.code === "notConnected") return;
    if (error.code === "connectFailed") return this.#lost();
    if (["resumeExpired", "resumeGap", "sessionEnded"].includes(error.code) && this.#answer.resumeToken) {
      this.#answer = {...this.#answer, resumeToken: null};
      return this.#tryAgain(0);
    }
    if (["draining", "unavailable", "misdirected", "rateLimited", "internalError", "limitReached"].includes(error.code)) {
      return this.#tryAgain(pauseAfter(error));
    }
    this.#finish({reason: error.code, message: error.message});
  }

  /// Reports a failed join, unless it was cancelled: `cancel` has set the status already.
  #joinFailed() {
    if (this.status === "connecting") this.#setStatus("failed");
  }

  #setStatus(status) {
    if (status === this.status) return;
    this.status = status;
    this.onStatus?.(status);
  }
}

const unanswered = () => new SignalingError("notConnected", "The connection was lost before the answer came");
const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

/// Returns the URL of `/v1/connect` on the relay that served this page.
export const relayURL = (address = location) => `${address.protocol === "https:" ? "wss:" : "ws:"}//${address.host}/v1/connect`;

// The control protocol: JSON texts over one WebSocket (docs/protocol.md). Requests and their answers, numbered events, and taking up a
// lost connection again. Knows nothing of users, media or pages.

export const VERSION = 1;
export const SUBPROTOCOL = "millrace.v1";

/// What the relay, or this client for it, says no with. `code` is of the protocol's error codes.
export class SignalingError extends Error {
  constructor(code, message, {field, limit, retryAfter} = {}) {
    super(message ?? code);
    Object.assign(this, {name: "SignalingError", code, field, limit, retryAfter});
  }
}

/// Errors after which the same request may well be answered a little later, on the same connection: the relay has no room or no time just
/// now, its disk does not take anything, or its answer did not come in time.
export const PASSING = new Set(["connectFailed", "rateLimited", "limitReached", "storageFailed", "internalError", "draining", "requestTimeout"]);
/// Milliseconds before such another try; `error`: which may name the time.
export const pauseAfter = error => 1000 * (error.retryAfter || 2);

/// Reasons of a `disconnected` event after which coming back by itself is what the user wants.
const COMES_BACK = new Set(["networkLost", "slowConsumer", "relayShutdown"]);
/// Milliseconds between two attempts: a quarter of a second first, then doubled up to this.
const LONGEST_PAUSE = 4000;
/// Milliseconds for a WebSocket to open.
const OPEN_TIME = 8000;
/// Milliseconds for an answer; a relay that has not answered by then has lost the request.
const ANSWER_TIME = 20_000;
/// Milliseconds after the grace time, and after a relay's end, that the client goes on trying.
const PATIENCE = 300_000;
/// Requests that wait for a connection; more of them are refused.
const MAXIMUM_QUEUE = 200;
/// Users of a session, and events while they are on their way: a relay that does not come to an end would fill the memory.
const MAXIMUM_USERS = 100_000;
const MAXIMUM_HELD = 10_000;

/// One connection, over as many WebSockets as it takes.
///
/// Callbacks, all optional: `onStatus(status)`, `onJoined(answer, again)`, `onResumed(answer)`, `onEvent(name, data)`,
/// `onEnded({reason, message})`. Events come in order, each once.
export class Signaling {
  status = "notConnected";
  /// Milliseconds of the last ping.
  roundTrip = null;

  #url; #socket = null; #join = null; #answer = null; #lastEvent = 0; #nextID = 1;
  /// Events that came while the pages of a join's users were on their way; null: none are.
  #held = null;
  #opening = null; #open = new Map(); #queue = []; #pingTimer = 0; #pauseTimer = 0; #heard = 0; #attempt = 0; #lostAt = 0; #over = null;
  /// Requests that are made once more when the connection is taken up.
  #unanswered = [];

  /// `url`: of `/v1/connect`, ws or wss.
  constructor(url, callbacks = {}) {
    this.#url = url;
    Object.assign(this, callbacks);
  }

  /// Enters a session. After `passwordNeeded` or `passwordWrong` the WebSocket stays, and `join` may be called again on it.
  async join({session, name, token, password}) {
    const params = {version: VERSION, session, name, client: `page ${navigator.userAgent}`.slice(0, 200)};
    if (token) params.token = token;
    if (password) params.password = password;
    this.#join = params;
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

  /// Takes back a join: one that waits for a password, or one that is under way, which then fails with `notConnected`.
  cancel() {
    this.#closeSocket();
    this.#setStatus("notConnected");
  }

  /// Asks for something; the answer, or a `SignalingError`. While the connection is lost it waits, unless `queued` is false. With
  /// `isRepeatable` a request whose answer was lost with the connection is made once more when that is taken up: one that the relay knows
  /// again by an id of its own. With `isLocal` one that waits fails where the session is joined anew, and the user is elsewhere in it.
  request(method, params = {}, {queued = true, isRepeatable = false, isLocal = false} = {}) {
    if (this.status === "connected") return this.#send(method, params, isRepeatable);
    if (this.status !== "reconnecting") return Promise.reject(new SignalingError("notConnected", "There is no connection"));
    if (!queued || this.#queue.length >= MAXIMUM_QUEUE) {
      return Promise.reject(new SignalingError("notConnected", "The connection is lost just now"));
    }
    return new Promise((done, failed) => this.#queue.push({method, params, isRepeatable, isLocal, done, failed}));
  }

  /// Leaves for good.
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

  /// Drops the WebSocket and comes back, as after a loss; the way to a fresh start when the network has changed.
  reconnect() {
    if (this.status === "connected") this.#lost();
    else if (this.status === "reconnecting") this.#tryAgain(0);
  }

  // MARK: the WebSocket

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

  /// `isLost`: the client comes back.
  #closeSocket(isLost = false) {
    const socket = this.#socket;
    this.#socket = null;
    this.#held = null;
    clearInterval(this.#pingTimer);
    if (socket) {
      socket.onopen = socket.onclose = socket.onmessage = null;
      socket.close();
    }
    // Who waits for a WebSocket that nobody hears of any more would wait for ever; of one that is open nobody waits.
    this.#opening?.(new SignalingError("notConnected", "The connection was given up"));
    this.#opening = null;
    for (const {failed, keep} of this.#open.values()) {
      if (isLost && keep) keep();
      else failed(unanswered());
    }
    this.#open.clear();
  }

  /// What was to be made once more has failed.
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
    // Events of conversations are not numbered: they are not replayed, what they said can be asked for.
    if (seq === 0) return this.onEvent?.(event, data);
    // A replay may begin before what is known; a hole means that something was lost, and is asked for again.
    if (seq <= this.#lastEvent) return;
    if (seq !== this.#lastEvent + 1) return this.#lost();
    this.#lastEvent = seq;
    if (event === "disconnected") return this.#disconnected(data);
    this.onEvent?.(event, data);
  }

  // MARK: its life

  /// Joins; the users of a large session come in pages, and the answer has them all.
  async #enter(params) {
    const answer = await this.#send("join", params);
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
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#receiveEvent(message);
    // Under another connection id the relay does not know them again.
    this.#giveUp();
    this.#queue = this.#queue.filter(({isLocal, failed}) => {
      if (isLocal) failed(unanswered());
      return !isLocal;
    });
    this.#flush();
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
      // This connection is over; a new one takes its place.
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
      return;  // its end has set the next attempt
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
    const answer = await this.#send("resume", {version: VERSION, resumeToken, lastEvent: this.#lastEvent});
    this.#connected();
    this.onResumed?.(answer);
    for (const {method, params, done, failed} of this.#unanswered.splice(0)) this.#send(method, params, true).then(done, failed);
    this.#flush();
  }

  #refused(error) {
    // A socket that was lost has seen to the next attempt; one that keeps silent is left.
    if (this.#over || error.code === "notConnected") return;
    if (error.code === "connectFailed") return this.#lost();
    if (["resumeExpired", "resumeGap", "sessionEnded"].includes(error.code) && this.#answer.resumeToken) {
      this.#answer = {...this.#answer, resumeToken: null};
      return this.#tryAgain(0);
    }
    if (["draining", "rateLimited", "internalError", "limitReached"].includes(error.code)) {
      return this.#tryAgain(pauseAfter(error));
    }
    this.#finish({reason: error.code, message: error.message});
  }

  /// One that was taken back has said so already.
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

/// `/v1/connect` of the relay that this page came from.
export const relayURL = (place = location) => `${place.protocol === "https:" ? "wss:" : "ws:"}//${place.host}/v1/connect`;

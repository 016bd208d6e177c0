// Client of the relay's admin API (`/v1/openapi.json`) and metrics.

const STORED = "millrace.admin";
/// Maximum number of entries of a list; the page states that there are more.
const LIMIT = 100;

export class AdminError extends Error {
  constructor(status, problem) {
    super(problem?.detail || problem?.title || `HTTP ${status}`);
    Object.assign(this, {status, code: problem?.code});
  }
}

export class AdminAPI {
  get token() { return sessionStorage.getItem(STORED) ?? ""; }
  set token(value) {
    if (value) sessionStorage.setItem(STORED, value);
    else sessionStorage.removeItem(STORED);
  }

  relay() { return this.#json("GET", "/v1/admin/relay"); }
  drain(seconds) { return this.#json("POST", "/v1/admin/drain", {seconds}); }
  sessions() { return this.#json("GET", `/v1/admin/sessions?limit=${LIMIT}`); }
  participants(session) { return this.#json("GET", this.#path(session, "participants", {limit: LIMIT})); }
  /// Returns the quality of a participant's media over the last minutes.
  quality(session, user) { return this.#json("GET", this.#path(session, `participants/${encodeURIComponent(user)}/quality`)); }
  /// Returns the same as a Blob of comma-separated values.
  async qualityTable(session, user) {
    return (await this.#fetch("GET", this.#path(session, `participants/${encodeURIComponent(user)}/quality.csv`))).blob();
  }
  streams(session) { return this.#json("GET", this.#path(session, "streams", {limit: LIMIT})); }
  /// Returns the media engine's counters of the session's tracks.
  tracks(session) { return this.#json("GET", this.#path(session, "tracks")); }
  end(session) { return this.#json("DELETE", this.#path(session)); }
  remove(session, user) { return this.#json("DELETE", this.#path(session, `participants/${encodeURIComponent(user)}`)); }
  mute(session, user, kind) { return this.#json("POST", this.#path(session, `participants/${encodeURIComponent(user)}/mute`), {kind}); }
  muteStream(session, stream, kind, muted) {
    return this.#json("PUT", this.#path(session, `streams/${encodeURIComponent(stream)}/mute`), {kind, muted});
  }

  /// Returns the state of a stream's recording; null if there is none.
  async recording(session, stream) {
    try {
      return await this.#json("GET", this.#path(session, `streams/${encodeURIComponent(stream)}/record`));
    } catch (error) {
      if (error.status === 404) return null;
      throw error;
    }
  }
  /// `action`: `start` or `stop`.
  record(session, stream, action) { return this.#json("POST", this.#path(session, `streams/${encodeURIComponent(stream)}/record`), {action}); }

  /// Returns the reports of clients, newest first.
  issues() { return this.#json("GET", `/v1/admin/issues?limit=${LIMIT}`); }
  /// Returns a whole report as a Blob of JSON.
  async issue(id) { return (await this.#fetch("GET", `/v1/admin/issues/${encodeURIComponent(id)}`)).blob(); }

  /// Returns a still of a stream as a Blob of PNG.
  async still(session, stream) { return (await this.#fetch("GET", this.#path(session, `streams/${encodeURIComponent(stream)}/canvas.png`))).blob(); }

  /// Returns the metrics as a map from `name{labels}` to value.
  async metrics() {
    const text = await (await this.#fetch("GET", "/metrics")).text(), values = new Map();
    for (const line of text.split("\n")) {
      const found = /^([a-zA-Z_:][\w:]*(?:\{.*\})?) (\S+)$/.exec(line);
      if (found) values.set(found[1], Number(found[2]));
    }
    return values;
  }

  #path({app, name}, rest = "", query = {}) {
    return `/v1/admin/sessions/${encodeURIComponent(name)}${rest && `/${rest}`}?${new URLSearchParams({app, ...query})}`;
  }

  async #json(method, path, body) {
    const answer = await this.#fetch(method, path, body);
    return answer.status === 204 ? null : answer.json();
  }

  async #fetch(method, path, body) {
    const headers = {};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, {method, headers, body: body && JSON.stringify(body), cache: "no-store"});
    if (!answer.ok) throw new AdminError(answer.status, await answer.json().catch(() => null));
    return answer;
  }
}

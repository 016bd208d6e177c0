// The relay's admin API and metrics, as docs/openapi describes them.

const STORED = "millrace.admin";
/// Of one list; what is beyond is told, not shown.
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
  streams(session) { return this.#json("GET", this.#path(session, "streams", {limit: LIMIT})); }
  /// What the media engine counts of the same streams.
  tracks(session) { return this.#json("GET", this.#path(session, "tracks")); }
  end(session) { return this.#json("DELETE", this.#path(session)); }
  remove(session, user) { return this.#json("DELETE", this.#path(session, `participants/${encodeURIComponent(user)}`)); }
  mute(session, user, kind) { return this.#json("POST", this.#path(session, `participants/${encodeURIComponent(user)}/mute`), {kind}); }
  muteStream(session, stream, kind, muted) {
    return this.#json("PUT", this.#path(session, `streams/${encodeURIComponent(stream)}/mute`), {kind, muted});
  }

  /// How the recording of a stream stands; null if there is none.
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

  /// Reports of clients, newest first.
  issues() { return this.#json("GET", `/v1/admin/issues?limit=${LIMIT}`); }
  /// All that the relay kept of one, as a Blob of JSON.
  async issue(id) { return (await this.#fetch("GET", `/v1/admin/issues/${encodeURIComponent(id)}`)).blob(); }

  /// A picture of a stream as a Blob.
  async still(session, stream) { return (await this.#fetch("GET", this.#path(session, `streams/${encodeURIComponent(stream)}/canvas.png`))).blob(); }

  /// `name{labels}` -> value.
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

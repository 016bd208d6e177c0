// Detects a peer connection that gets no path or has lost it: ICE or DTLS does not complete.

/// Milliseconds without a path after which the user is told.
export const NO_PATH_TIME = 10_000;
/// Maximum number of candidate pairs in a report.
const MAXIMUM_PAIRS = 20;

const PENDING = new Set(["connecting", "disconnected", "failed"]);

/// Calls `onChange({stage, pairs})` once a peer connection has been without a path for `NO_PATH_TIME`, and `onChange(null)` when it has one
/// again. `stage` is `ice` or `dtls`. A pair is `{protocol, local, remote, sent, received}`: addresses with ports, `local` null if the
/// browser has no candidate of its own for it, and numbers of STUN checks.
export class MediaPath {
  #timer = 0; #isLate = false; #connection; #onChange; #isNeeded; #patience;

  /// `connection()` returns the current peer connection. `isNeeded()` tells whether media should flow; while it is false, no report is
  /// made.
  constructor(connection, onChange, {isNeeded = () => true, patience = NO_PATH_TIME} = {}) {
    this.#connection = connection;
    this.#onChange = onChange;
    this.#isNeeded = isNeeded;
    this.#patience = patience;
  }

  /// Handles a change of the connection's state. Neither an ICE restart nor a new peer connection restarts the timer.
  changed() {
    const state = this.#connection()?.connectionState;
    if (PENDING.has(state)) {
      if (!this.#timer && !this.#isLate) this.#wait();
    } else if (state !== "new") {
      this.end();
    }
  }

  end() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#isLate) return;
    this.#isLate = false;
    this.#onChange(null);
  }

  #wait() {
    const timer = this.#timer = setTimeout(async () => {
      const connection = this.#connection();
      // The connection was closed or replaced without an event.
      if (!PENDING.has(connection?.connectionState)) return this.end();
      if (!this.#isNeeded()) return this.#wait();
      const report = await tried(connection).catch(() => ({stage: "ice", pairs: []}));
      // The connection was established or closed while the statistics were collected.
      if (timer !== this.#timer) return;
      this.#timer = 0;
      this.#isLate = true;
      this.#onChange(report);
    }, this.#patience);
  }
}

const named = candidate => candidate && `${candidate.address?.includes(":") ? `[${candidate.address}]` : candidate.address ?? "hidden"}:${candidate.port}`;

async function tried(connection) {
  const stats = await connection.getStats(), all = [...stats.values()];
  const pairs = all.filter(one => one.type === "candidate-pair").map(pair => {
    const local = stats.get(pair.localCandidateId), remote = stats.get(pair.remoteCandidateId);
    return {protocol: remote?.protocol ?? local?.protocol ?? "udp", local: named(local) ?? null, remote: named(remote) ?? "unknown",
            sent: pair.requestsSent ?? 0, received: pair.responsesReceived ?? 0};
  });
  // Adds the relay's candidates that are in no pair.
  const paired = new Set(pairs.map(pair => pair.remote));
  for (const one of all) {
    if (one.type !== "remote-candidate" || paired.has(named(one))) continue;
    pairs.push({protocol: one.protocol ?? "udp", local: null, remote: named(one), sent: 0, received: 0});
  }
  const isICE = !["connected", "completed"].includes(connection.iceConnectionState);
  return {stage: isICE ? "ice" : "dtls", pairs: pairs.slice(0, MAXIMUM_PAIRS)};
}

// Raised hands, carried by a signal to the whole session because the relay has no such state. A client whose hand is raised repeats the
// signal to users that join later.

/// Type of the signal; its data is `up`, `down`, or `lower` from a host or manager.
export const HAND = "millrace-hand";
/// If more users than this join together, one signal to all replaces a signal to each.
const MOST_TOLD_ALONE = 5;

/// Emits `change`; its `detail` is `{user, isRaised}`, or null if the whole set has changed.
export class Hands extends EventTarget {
  /// Connection ids in the order in which they were raised.
  raised = new Set();

  #session;

  constructor(session) {
    super();
    this.#session = session;
    session.addEventListener("change", ({detail}) => this.#changed(detail));
  }

  get isRaised() { return this.raised.has(this.#session.state.self); }

  /// Raises or lowers this user's hand.
  async set(isRaised) {
    await this.#say(isRaised ? "up" : "down");
    this.#set(this.#session.state.self, isRaised);
  }

  /// Asks a user to lower its hand; the client obeys hosts and managers only.
  lower(user) { return this.#say("lower", user); }

  #say(data, to = null) { return this.#session.request("signal", {type: HAND, data, ...(to && {to})}); }

  #set(user, isRaised) {
    if (this.raised.has(user) === isRaised) return;
    if (isRaised) this.raised.add(user);
    else this.raised.delete(user);
    this.dispatchEvent(new CustomEvent("change", {detail: {user, isRaised}}));
  }

  #changed({event, data, before}) {
    const {state} = this.#session;
    switch (event) {
    case "signal":
      if (data.type === HAND) this.#told(data);
      break;
    case "userJoined":
      if (this.isRaised && data.user.id !== state.self) this.#say("up", data.user.id).catch(() => {});
      break;
    case "userLeft":
      this.#set(data.user, false);
      break;
    case "usersChanged": {
      for (const {user} of data.left) this.#set(user, false);
      const others = data.joined.filter(user => user.id !== state.self);
      if (!this.isRaised || !others.length) break;
      // In a large session one signal to all costs less than one signal to each.
      if (others.length > MOST_TOLD_ALONE) this.#say("up").catch(() => {});
      else for (const {id} of others) this.#say("up", id).catch(() => {});
      break;
    }
    case "reset": {
      if (state.self && before === state.self) {
        // The same connection after a snapshot: others still know its hand.
        for (const user of [...this.raised.keys()]) if (!state.users.has(user)) this.#set(user, false);
        break;
      }
      // A new join has a new connection id, so the hand has to be announced again.
      const wasRaised = this.wasRaised;
      this.raised.clear();
      this.dispatchEvent(new CustomEvent("change", {detail: null}));
      if (wasRaised && state.self) this.set(true).catch(() => {});
      break;
    }
    }
    this.wasRaised = this.isRaised;
  }

  #told({from, data}) {
    const {state} = this.#session, user = state.users.get(from);
    // Ignores unknown users: no `userLeft` would ever remove their hands.
    if (!user) return;
    if (data === "up" || data === "down") this.#set(from, data === "up");
    else if (data === "lower" && ["host", "manager"].includes(user.role) && this.isRaised) this.set(false).catch(() => {});
  }
}

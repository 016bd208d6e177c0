// The list of subsessions and their users: a part of the session's state. Does not depend on media.

/// Maximum number of open help requests that are kept; the oldest are dropped.
const MAXIMUM_HELP_REQUESTS = 100;

export class Subsessions {
  /// `none`, `committed`, `started` or `stopping`.
  status = "none";
  /// Id -> `{id, name, users}`, in the host's order; `users`: a set of connection ids.
  all = new Map();
  /// Whether this user may start and stop subsessions and broadcast, and receives help requests.
  isManager = false;
  /// Open help requests that this user has not answered: id -> `{request, user, userName, subsession, subsessionName}`.
  helpRequests = new Map();

  #idOf = new Map();

  reset({status = "none", subsessions = [], isManager = false} = {}) {
    this.status = status;
    this.isManager = isManager;
    this.all = new Map(subsessions.map(({id, name, users = []}) => [id, {id, name, users: new Set(users)}]));
    this.#idOf = new Map([...this.all.values()].flatMap(subsession => [...subsession.users].map(user => [user, subsession.id])));
    for (const [id, {user, subsession}] of this.helpRequests) if (!isManager || this.of(user) !== subsession) this.helpRequests.delete(id);
  }

  clear() {
    this.helpRequests.clear();
    this.reset();
  }

  apply(event, data) {
    switch (event) {
    case "subsessionsChanged":
      this.reset(data.state);
      break;
    case "subsessionRoleChanged":
      this.isManager = data.isManager;
      if (!data.isManager) this.helpRequests.clear();
      break;
    case "subsessionUsersChanged":
      for (const {user, to} of data.changes) this.#move(user, to ?? null);
      break;
    case "userLeft":
      this.#move(data.user, null);
      break;
    case "usersChanged":
      for (const {user} of data.left) this.#move(user, null);
      break;
    case "helpRequested":
      this.helpRequests.delete(data.request);
      this.helpRequests.set(data.request, data);
      while (this.helpRequests.size > MAXIMUM_HELP_REQUESTS) this.helpRequests.delete(this.helpRequests.keys().next().value);
      break;
    case "helpEnded":
      this.helpRequests.delete(data.request);
      break;
    }
  }

  /// Removes a help request that this user has answered. Emits no event.
  answered(request) { this.helpRequests.delete(request); }

  /// Id of the subsession that a user is in; null in the main session.
  of(user) { return this.#idOf.get(user) ?? null; }

  /// The subsession that a user is in; null in the main session.
  subsessionOf(user) { return this.all.get(this.of(user)) ?? null; }

  #move(user, to) {
    this.subsessionOf(user)?.users.delete(user);
    const subsession = this.all.get(to);
    if (subsession) {
      subsession.users.add(user);
      this.#idOf.set(user, to);
    } else {
      this.#idOf.delete(user);
    }
    // A user that leaves a subsession gives up its help request.
    for (const [id, one] of this.helpRequests) if (one.user === user && one.subsession !== to) this.helpRequests.delete(id);
  }
}

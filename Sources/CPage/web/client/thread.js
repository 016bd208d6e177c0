// The known messages of one conversation: sorted and without duplicates, in whatever order they arrive.

/// Maximum number of messages kept of one conversation; older ones are dropped and requested again when needed.
const KEPT = 1000;

export class Thread {
  /// Messages sorted by `number`, their order in the conversation.
  messages = [];
  /// Whether the relay has older messages.
  hasOlder = true;
  /// Whether the first page was received.
  isLoaded = false;
  /// Whether a page of older messages is being requested.
  isLoading = false;
  /// Number up to which this user has deleted the messages; 0: none.
  clearedThrough = 0;
  /// The reading of messages after the last known one, if in progress: `{round, later, done}`, see `Conversations`.
  filling = null;

  get first() { return this.messages[0]?.number ?? null; }
  get last() { return this.messages.at(-1)?.number ?? null; }

  /// Whether messages are missing between the last known one and this one.
  hasHole({number}) { return this.isLoaded && number > (this.last ?? this.clearedThrough) + 1; }

  /// Adds messages; ignores known and deleted ones.
  add(messages) {
    const known = new Set(this.messages.map(one => one.number)), fresh = [];
    for (const message of messages) {
      if (known.has(message.number) || message.number <= this.clearedThrough) continue;
      known.add(message.number);
      fresh.push(message);
    }
    if (fresh.length) this.messages = [...this.messages, ...fresh].sort((a, b) => a.number - b.number);
  }

  /// Replaces all messages by the newest page; messages newer than the page stay.
  replace({messages, hasMore}) {
    const newest = messages.at(-1)?.number ?? 0;
    this.messages = this.messages.filter(one => one.number > newest);
    this.hasOlder = hasMore;
    this.add(messages);
  }

  /// Drops the oldest messages beyond `KEPT`.
  trim() {
    if (this.messages.length <= KEPT) return;
    this.messages = this.messages.slice(-KEPT);
    this.hasOlder = true;
  }

  /// Removes the messages up to a number, which this user has deleted. Returns whether any of them was known.
  clearThrough(number = 0) {
    if (number <= this.clearedThrough) return false;
    this.clearedThrough = number;
    if (this.first === null || this.first > number) return false;
    this.messages = this.messages.filter(one => one.number > number);
    this.hasOlder = false;
    return true;
  }
}

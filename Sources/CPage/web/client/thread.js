// The messages of one conversation, as far as they are known here: in order, each once, however often and in what order they come.

/// Messages that are kept of one conversation; of more the oldest are forgotten, and asked for again where they are wanted.
const KEPT = 1000;

export class Thread {
  /// By `number`, which is their order in the conversation.
  messages = [];
  /// Whether the relay has older ones.
  hasOlder = true;
  /// Whether a first page has come.
  isLoaded = false;

  get first() { return this.messages[0]?.number ?? null; }
  get last() { return this.messages.at(-1)?.number ?? null; }

  /// Whether a message that comes now leaves a hole behind the last that is known.
  hasHole({number}) { return this.isLoaded && this.last !== null && number > this.last + 1; }

  /// Takes in messages; those that were not known before.
  add(messages) {
    const known = new Set(this.messages.map(one => one.number)), fresh = [];
    for (const message of messages) {
      if (known.has(message.number)) continue;
      known.add(message.number);
      fresh.push(message);
    }
    if (!fresh.length) return fresh;
    this.messages = [...this.messages, ...fresh].sort((a, b) => a.number - b.number);
    return fresh;
  }

  /// Forgets the oldest; for whoever is not looking at them.
  trim() {
    if (this.messages.length <= KEPT) return;
    this.messages = this.messages.slice(-KEPT);
    this.hasOlder = true;
  }

  clear() {
    this.messages = [];
    this.hasOlder = false;
  }
}

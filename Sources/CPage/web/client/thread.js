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
  /// Whether a page of older ones is asked for just now.
  isLoading = false;
  /// Messages up to this number are gone for this user; 0 for none.
  clearedThrough = 0;
  /// What is under way to read the messages behind the last: `{round, later, done}`, see `Conversations`.
  filling = null;

  get first() { return this.messages[0]?.number ?? null; }
  get last() { return this.messages.at(-1)?.number ?? null; }

  /// Whether a message that comes now leaves a hole behind the last that is known.
  hasHole({number}) { return this.isLoaded && number > (this.last ?? this.clearedThrough) + 1; }

  /// Takes in messages, also those that are known.
  add(messages) {
    const known = new Set(this.messages.map(one => one.number)), fresh = [];
    for (const message of messages) {
      if (known.has(message.number) || message.number <= this.clearedThrough) continue;
      known.add(message.number);
      fresh.push(message);
    }
    if (fresh.length) this.messages = [...this.messages, ...fresh].sort((a, b) => a.number - b.number);
  }

  /// Begins anew with the newest page; what came after that was read stays.
  replace({messages, hasMore}) {
    const newest = messages.at(-1)?.number ?? 0;
    this.messages = this.messages.filter(one => one.number > newest);
    this.hasOlder = hasMore;
    this.add(messages);
  }

  /// Forgets the oldest; for whoever is not looking at them.
  trim() {
    if (this.messages.length <= KEPT) return;
    this.messages = this.messages.slice(-KEPT);
    this.hasOlder = true;
  }

  /// Forgets the messages up to a number, which are gone for this user; whether any of them was here.
  clearThrough(number = 0) {
    if (number <= this.clearedThrough) return false;
    this.clearedThrough = number;
    if (this.first === null || this.first > number) return false;
    this.messages = this.messages.filter(one => one.number > number);
    this.hasOlder = false;
    return true;
  }
}

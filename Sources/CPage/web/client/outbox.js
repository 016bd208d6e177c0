// Messages on their way. Each has an id from here, so that it can be sent again without being stored twice; a lost connection delays it.

import {identifier, isTooLong} from "./chat.js";
import {PASSING, SignalingError, pauseAfter} from "./signaling.js";

/// Messages that wait; more of them are refused.
const MAXIMUM = 200;

/// Emits `change` when a message is sent, waits, has failed or is given up.
export class Outbox extends EventTarget {
  /// `{id, conversation, text, time, status, error}` in the order they were written; `status`: `sending` or `failed`.
  entries = [];

  #request; #onSent; #isSending = false; #timer = 0;

  /// `onSent(entry, {number, time})`: the relay has stored it.
  constructor(request, onSent) {
    super();
    this.#request = request;
    this.#onSent = onSent;
  }

  of(conversation) { return this.entries.filter(one => one.conversation.type === conversation.type && one.conversation.id === conversation.id); }

  send(conversation, text) {
    if (isTooLong(text)) throw new SignalingError("textTooLong", "A message has at most 8 KiB");
    if (this.entries.length >= MAXIMUM) throw new SignalingError("limitReached", "Too many messages wait to be sent");
    const entry = {id: identifier(), conversation: {type: conversation.type, id: conversation.id}, text, time: Date.now(), status: "sending",
                   error: null};
    this.entries.push(entry);
    this.#changed();
    this.flush();
    return entry;
  }

  /// Once more, with the same id.
  retry(entry) {
    Object.assign(entry, {status: "sending", error: null});
    this.#changed();
    this.flush();
  }

  giveUp(entry) {
    this.entries = this.entries.filter(one => one !== entry);
    this.#changed();
  }

  clear() {
    clearTimeout(this.#timer);
    this.entries = [];
  }

  /// Sends what waits, one after the other, as order counts. Called when the connection is back.
  async flush() {
    if (this.#isSending) return;
    this.#isSending = true;
    clearTimeout(this.#timer);
    for (let entry; (entry = this.entries.find(one => one.status === "sending"));) {
      try {
        const {conversation, id, text} = entry;
        const answer = await this.#request("sendMessage", {conversation, message: id, text}, {queued: false});
        this.entries = this.entries.filter(one => one !== entry);
        this.#onSent(entry, answer);
      } catch (error) {
        // The next connection sends it.
        if (error.code === "notConnected") break;
        // The relay may even have stored it, and answers as the first time.
        if (PASSING.has(error.code)) {
          this.#timer = setTimeout(() => this.flush(), pauseAfter(error));
          break;
        }
        Object.assign(entry, {status: "failed", error});
      }
      this.#changed();
    }
    this.#isSending = false;
  }

  #changed() { this.dispatchEvent(new CustomEvent("change")); }
}

// The queue of messages to send. Each message has an id made by this client, so it can be sent again after a lost connection without being
// stored twice.

import {identifier, isTooLong} from "./chat.js";
import {PASSING, SignalingError, pauseAfter} from "./signaling.js";

/// Maximum number of queued messages; further ones are refused.
const MAXIMUM = 200;

/// Emits `change` when a message is queued, stored, has failed or is discarded.
export class Outbox extends EventTarget {
  /// `{id, conversation, text, time, status, error}` in the order they were written; `status`: `sending` or `failed`.
  entries = [];

  #request; #onSent; #isSending = false; #timer = 0;

  /// `onSent(entry, {number, time})` is called when the relay has stored a message.
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

  /// Sends a failed message again, with the same id.
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

  /// Sends queued messages one at a time, to keep their order. Called when a message is added and when the connection is back.
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
        // `flush` is called again on the next connection.
        if (error.code === "notConnected") break;
        // The relay may have stored the message; a repeated id gets the first answer again.
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

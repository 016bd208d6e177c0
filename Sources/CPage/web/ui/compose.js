// The input field of a message: Enter sends, Shift+Enter starts a new line.

import {isTooLong} from "../client/chat.js";
import {element, icon} from "./dom.js";
import {attempt, notice} from "./notices.js";

export class Compose {
  #field; #button; #send; #isBusy = false;

  /// `send(text)` sends the text; if it throws, the text stays in the field.
  constructor(label, send, {before = []} = {}) {
    this.#send = send;
    // No `maxlength`: it would silently cut pasted text.
    this.#field = element("textarea", {name: "text", rows: 2, "aria-label": label, placeholder: label, onkeydown: event => this.#onKey(event)});
    this.#button = element("button", {class: "primary round", "aria-label": "Send", title: "Send"}, icon("send"));
    this.node = element("form", {class: "compose", onsubmit: event => { event.preventDefault(); this.#submit(); }}, ...before, this.#field,
                        this.#button);
  }

  set(isDisabled, hint) {
    this.#field.disabled = this.#button.disabled = isDisabled;
    this.#field.placeholder = hint;
  }

  focus() { this.#field.focus(); }
  clear() { this.#field.value = ""; }

  #onKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#submit();
  }

  async #submit() {
    const text = this.#field.value;
    if (!text.trim() || this.#isBusy) return;
    if (isTooLong(text)) return notice("A message has at most 8 KiB", {isError: true});
    this.#isBusy = true;
    // Text typed while the message is being sent belongs to the next message.
    await attempt(async () => {
      await this.#send(text);
      if (this.#field.value.startsWith(text)) this.#field.value = this.#field.value.slice(text.length).trimStart();
    });
    this.#isBusy = false;
  }
}

// The form to join a session. Asks for the password, if needed repeatedly, on the same connection.

import {chooseDevices} from "./devices.js";
import {byID, setInvalid} from "./dom.js";
import {attempt} from "./notices.js";
import {stored, store} from "./storage.js";
import {explained} from "./words.js";

const NAME = "millrace.name", IDENTITY = "millrace.identity";

/// Returns the values in the page's URL: `/?session=demo&name=Ada`, or the same after `#`, which browsers do not send to servers.
function addressed() {
  const values = new URLSearchParams(location.search);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) values.set(name, value);
  // Removes a token from the address bar and the history.
  if (values.has("token")) history.replaceState(null, "", `/?${new URLSearchParams({session: values.get("session") ?? ""})}`);
  return values;
}

/// Requests a token from a relay that runs with `--dev`; null from any other relay. `identity`: the user id, by default the name.
async function developmentToken(session, name, identity, role) {
  const query = {session, name, role, ...(identity && {identity})};
  const answer = await fetch(`/v1/dev/token?${new URLSearchParams(query)}`, {cache: "no-store"}).catch(() => null);
  if (!answer?.ok) return null;
  const text = await answer.text();
  try {
    const value = JSON.parse(text);
    return typeof value === "string" ? value : value.token ?? null;
  } catch {
    return text.trim();
  }
}

export class JoinForm {
  #form = byID("join-form"); #error = byID("join-error"); #button = byID("join-button"); #cancel = byID("join-cancel");
  #session = null; #token = null; #attempt = null; #onJoined; #makeSession; #label = "Join"; #isStart = false;

  /// `makeSession()` returns a session that has not joined. `onJoined(session, isStart)` receives it after the join, and publishes the
  /// camera if `isStart`.
  constructor({makeSession, onJoined}) {
    this.#makeSession = makeSession;
    this.#onJoined = onJoined;
    const values = addressed(), fields = this.#form.elements;
    fields.name.value = values.get("name") ?? stored(NAME) ?? "";
    fields.identity.value = values.get("identity") ?? (values.has("name") ? "" : stored(IDENTITY)) ?? "";
    fields.session.value = values.get("session") ?? "";
    fields.token.value = values.get("token") ?? "";
    if (values.get("role")) fields.role.value = values.get("role");
    this.#form.addEventListener("submit", event => {
      event.preventDefault();
      this.#submit();
    });
    const devices = byID("join-devices");
    devices.hidden = !navigator.mediaDevices?.getUserMedia;
    devices.addEventListener("click", () => attempt(() => this.#devices()));
    this.#cancel.addEventListener("click", () => this.#forget());
    for (const name of ["session", "token", "role", "name", "identity"]) fields[name].addEventListener("input", () => this.#forget());
  }

  /// Shows the form after a session has ended; with `canRetry` its button joins the same session again.
  show(text = "", {canRetry = false} = {}) {
    this.#forget();
    byID("join").hidden = false;
    this.#label = canRetry ? "Join again" : "Join";
    this.#busy(false);
    this.#say(text);
    (canRetry ? this.#button : this.#form.elements.session).focus();
  }

  async #devices() {
    const chosen = await chooseDevices({hasStart: true});
    for (const track of chosen?.tracks ?? []) track.stop();
    if (!chosen) return;
    this.#isStart = chosen.isStart;
    byID("join-devices-state").textContent = chosen.isStart ? "Camera and microphone will be on." : "Camera and microphone will be off.";
  }

  async #submit() {
    const {name, session, password, passphrase, agreesOnKeys, token, role, identity} = this.#form.elements;
    if (!session.value.trim()) return this.#say("Name the session.", session);
    if (this.#button.disabled) return;
    this.#busy(true);
    this.#say("");
    store(NAME, name.value.trim());
    store(IDENTITY, identity.value.trim());
    const attempt = this.#attempt = {};
    try {
      const granted = this.#token ?? (token.value.trim() ||
                                      await developmentToken(session.value.trim(), name.value.trim(), identity.value.trim(), role.value));
      // The join was cancelled in the meantime.
      if (this.#attempt !== attempt) return;
      this.#token = granted;
      this.#session ??= this.#makeSession();
      await this.#session.join({session: session.value.trim(), name: name.value.trim(), password: password.value, token: this.#token,
                                passphrase: passphrase.value, agreesOnKeys: agreesOnKeys.checked});
      const joined = this.#session;
      this.#session = this.#token = null;
      password.value = passphrase.value = "";
      this.#cancel.hidden = true;
      byID("join").hidden = true;
      this.#onJoined(joined, this.#isStart);
    } catch (error) {
      if (this.#attempt === attempt) this.#refused(error);
    } finally {
      this.#busy(false);
    }
  }

  #refused(error) {
    const {password, token} = this.#form.elements, mayRetry = ["passwordNeeded", "passwordWrong"].includes(error.code);
    if (error.code?.startsWith("token")) byID("token-details").open = true;
    this.#cancel.hidden = !mayRetry;
    if (!mayRetry) this.#session = this.#token = null;
    this.#say(explained(error), mayRetry ? password : error.code?.startsWith("token") ? token : null);
  }

  /// Cancels the pending join, because the fields were changed or the user cancelled.
  #forget() {
    this.#session?.cancel();
    this.#session = this.#token = this.#attempt = null;
    this.#cancel.hidden = true;
    this.#label = "Join";
    if (!this.#button.disabled) this.#busy(false);
    this.#say("");
  }

  #say(text, field = null) {
    this.#error.textContent = text;
    for (const input of this.#form.querySelectorAll("input")) setInvalid(input, input === field);
    if (field) {
      field.focus();
      field.select();
    }
  }

  #busy(isBusy) {
    this.#button.disabled = isBusy;
    this.#button.textContent = isBusy ? "Joining…" : this.#label;
  }
}

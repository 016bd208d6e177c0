// The form that a session is entered by. Asks for a password, and again, on the same connection.

import {byID, setInvalid} from "./dom.js";

const NAME = "millrace.name", IDENTITY = "millrace.identity";

/// Values that the page's address gives: `/?session=demo&name=Ada` or the same after `#`, where servers do not see it.
function addressed() {
  const values = new URLSearchParams(location.search);
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) values.set(name, value);
  // A token must not stay in the address, and so in the history.
  if (values.has("token")) history.replaceState(null, "", `/?${new URLSearchParams({session: values.get("session") ?? ""})}`);
  return values;
}

/// A token that the relay makes itself, where it runs with `--dev`; null where it does not. `identity`: a user id; else it is the name.
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

const EXPLAINED = {
  passwordNeeded: "This session has a password.",
  passwordWrong: "That is not the password. Try again.",
  passwordInvalid: "A password has at most 10 characters: letters, digits, ordinary signs.",
  tokenMissing: "This relay needs a token. Paste yours above.",
  connectFailed: "The relay cannot be reached.",
  invalidSessionName: "A session's name has 1 to 150 characters.",
};

export class JoinForm {
  #form = byID("join-form"); #error = byID("join-error"); #button = byID("join-button"); #cancel = byID("join-cancel");
  #session = null; #token = null; #attempt = null; #onJoined; #makeSession;

  /// `makeSession()` gives a session that has not joined; `onJoined(session)` takes it over.
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
    this.#cancel.addEventListener("click", () => this.#forget());
    for (const name of ["session", "token", "role", "name", "identity"]) fields[name].addEventListener("input", () => this.#forget());
  }

  /// After a session: ready for the next.
  show(text = "") {
    this.#forget();
    byID("join").hidden = false;
    this.#say(text);
    this.#form.elements.session.focus();
  }

  async #submit() {
    const {name, session, password, token, role, identity} = this.#form.elements;
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
      // Forgotten meanwhile.
      if (this.#attempt !== attempt) return;
      this.#token = granted;
      this.#session ??= this.#makeSession();
      await this.#session.join({session: session.value.trim(), name: name.value.trim(), password: password.value, token: this.#token});
      const joined = this.#session;
      this.#session = this.#token = null;
      password.value = "";
      this.#cancel.hidden = true;
      byID("join").hidden = true;
      this.#onJoined(joined);
    } catch (error) {
      if (this.#attempt === attempt) this.#refused(error);
    } finally {
      this.#busy(false);
    }
  }

  #refused(error) {
    const {password, token} = this.#form.elements, mayRetry = ["passwordNeeded", "passwordWrong"].includes(error.code);
    let text = EXPLAINED[error.code] ?? error.message;
    if (error.retryAfter) text += ` Try again in ${error.retryAfter} s.`;
    if (error.code?.startsWith("token")) byID("token-details").open = true;
    this.#cancel.hidden = !mayRetry;
    if (!mayRetry) this.#session = this.#token = null;
    this.#say(text, mayRetry ? password : error.code?.startsWith("token") ? token : null);
  }

  /// What was typed belongs to another join than the one that waits.
  #forget() {
    this.#session?.cancel();
    this.#session = this.#token = this.#attempt = null;
    this.#cancel.hidden = true;
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
    this.#button.textContent = isBusy ? "Joining…" : "Join";
  }
}

// Storage may be forbidden; then nothing is remembered.
function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // as above
  }
}

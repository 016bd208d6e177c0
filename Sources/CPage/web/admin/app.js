// The operator view at `/admin`: state of the relay and its sessions, and actions on them.

import {ask} from "../ui/dialogs.js";
import {byID, element} from "../ui/dom.js";
import {attempt, notice} from "../ui/notices.js";
import {AdminAPI} from "./api.js";
import {Gauges} from "./gauges.js";
import {Reports} from "./reports.js";
import {SessionCard} from "./sessioncard.js";

const INTERVAL = 2000;

class AdminView {
  #api = new AdminAPI(); #gauges = new Gauges(); #cards = new Map(); #timer = 0; #isBusy = false; #again = false; #reports = new Reports(this.#api);

  constructor() {
    byID("login-form").addEventListener("submit", event => {
      event.preventDefault();
      this.#api.token = event.target.elements.token.value.trim();
      event.target.reset();
      this.refresh();
    });
    byID("logout").addEventListener("click", () => {
      this.#api.token = "";
      this.#login("");
      this.#forget();
    });
    byID("drain").addEventListener("click", () => this.#drain());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.refresh(); });
    this.refresh();
  }

  /// Reads all data again; one reading at a time.
  async refresh() {
    if (this.#isBusy) {
      this.#again = true;
      return;
    }
    this.#isBusy = true;
    clearTimeout(this.#timer);
    let next = INTERVAL;
    try {
      if (!await this.#read()) next = 0;
    } catch (error) {
      if (error.status === 401 || error.status === 403) {
        this.#login(this.#api.token ? `${error.message}.` : "");
        next = 0;
      } else {
        this.#state(error.status ? error.message : "The relay does not answer", "failed");
      }
    }
    this.#isBusy = false;
    if (this.#again) {
      this.#again = false;
      this.refresh();
    } else if (next && !document.hidden) {
      this.#timer = setTimeout(() => this.refresh(), next);
    }
  }

  /// Reads and shows all data. Returns false if the token was removed or changed during the reading.
  async #read() {
    const {token} = this.#api;
    const [relay, {sessions, next}, metrics] = await Promise.all([this.#api.relay(), this.#api.sessions(), this.#api.metrics()]);
    if (token !== this.#api.token) return false;
    byID("login").hidden = true;
    byID("view").hidden = false;
    byID("version").textContent = relay.version;
    byID("drain").disabled = relay.isDraining;
    this.#state(relay.isDraining ? "Draining" : "Running", relay.isDraining ? "reconnecting" : "connected");
    this.#gauges.read(metrics);
    byID("session-count").textContent = next ? `the first ${sessions.length} of ${relay.sessions}` : String(sessions.length);
    await Promise.all([this.#showSessions(sessions, (metrics.get("millrace_recordings") ?? 0) > 0), this.#reports.refresh()]);
    return token === this.#api.token;
  }

  /// Removes everything that was shown.
  #forget() {
    for (const card of this.#cards.values()) card.end();
    this.#cards.clear();
    this.#reports.clear();
  }

  async #showSessions(sessions, hasRecordings) {
    const list = byID("sessions"), keyOf = session => `${session.app}/${session.name}`, keys = new Set(sessions.map(keyOf));
    for (const [key, card] of this.#cards) {
      if (keys.has(key)) continue;
      card.end();
      this.#cards.delete(key);
    }
    list.querySelector(".empty")?.remove();
    if (!sessions.length) list.append(element("p", {class: "empty"}, "No session is live."));
    for (const session of sessions) {
      if (this.#cards.has(keyOf(session))) continue;
      const card = new SessionCard(this.#api, session, () => this.refresh());
      this.#cards.set(keyOf(session), card);
      list.append(card.node);
    }
    // A session that has just ended answers 404; the next reading removes it.
    await Promise.all(sessions.map(session => this.#cards.get(keyOf(session)).refresh(session, {hasRecordings}).catch(error => { if (error.status !== 404) throw error; })));
  }

  #state(text, status) {
    byID("state").textContent = text;
    byID("state").dataset.status = status;
  }

  #login(text) {
    clearTimeout(this.#timer);
    byID("view").hidden = true;
    byID("login").hidden = false;
    byID("login-error").textContent = text;
    byID("login-form").elements.token.focus();
  }

  async #drain() {
    const answer = await ask("Drain the relay", "New sessions and clients are refused, and connected clients are told to move. The relay stops when it is empty, or after this many seconds:",
                             {value: "60", action: "Drain"});
    if (answer === null) return;
    await attempt(async () => {
      await this.#api.drain(Math.round(Number(answer)) || 0);
      notice("The relay is draining");
      this.refresh();
    });
  }
}

new AdminView();

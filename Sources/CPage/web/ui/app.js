// The page at `/`: connects its parts.

import {PEER} from "../client/conversations.js";
import {Hands} from "../client/hands.js";
import {Session} from "../client/session.js";
import {relayURL} from "../client/signaling.js";
import {Statistics} from "../client/statistics.js";
import {ChatPanel} from "./chat.js";
import {tell} from "./dialogs.js";
import {byID, element} from "./dom.js";
import {JoinForm} from "./join.js";
import {closeMenu} from "./menu.js";
import {Messages} from "./messages.js";
import {userMenu} from "./moderation.js";
import {attempt, clearNotices, notice} from "./notices.js";
import {Numbers} from "./numbers.js";
import {People} from "./people.js";
import {SubsessionBanner} from "./subsessionbanner.js";
import * as shortcuts from "./shortcuts.js";
import {SubsessionPanel} from "./subsessionpanel.js";
import {Signals} from "./signals.js";
import {Stage} from "./stage.js";
import {Tabs} from "./tabs.js";
import {Toolbar} from "./toolbar.js";
import {explained} from "./words.js";

const STATUS = {connecting: "Connecting…", connected: "Connected", reconnecting: "Reconnecting…", disconnecting: "Leaving…", failed: "Disconnected",
                notConnected: "Not connected"};
const ENDED = {
  left: "", removed: "You were removed from the session.", sessionEnded: "The session has ended.", networkLost: "The connection could not be restored.",
  slowConsumer: "This device could not keep up.", protocolViolation: "The relay closed the connection.", relayShutdown: "The relay has shut down.",
  tokenExpired: "Your token has expired.", tokenRevoked: "You were removed from this session.",
};
/// Key: reason for which frames of a stream cannot be decrypted.
const UNDECRYPTABLE = {
  wrongSecret: "the encryption passphrases differ.", notEncrypted: "the stream should be encrypted and is not.",
  noSecret: "the stream is encrypted. Join again with the encryption passphrase.",
  noKeys: "the stream is encrypted with keys that have not come. Does everyone use automatic keys?",
};
/// Key: reason for which participants do not agree on keys.
const DISAGREEMENT = {
  membershipMismatch: "The relay shows other participants or keys to others than to you. Do not trust this session.",
  tooManyParticipants: "Too many participants for automatic keys. Use an encryption passphrase.",
  noKeys: "No encryption keys came from the other participants, so nothing of yours is sent.",
  unsupportedByRelay: "The relay does not support automatic keys. Use an encryption passphrase.",
};
/// Maximum number of candidate pairs shown.
const SHOWN_PAIRS = 4;

/// Returns the message about a missing media path, with the addresses that were tried.
function withoutPath({stage, pairs}) {
  const sorted = [...pairs].sort((a, b) => (b.local != null) - (a.local != null)), more = pairs.length - SHOWN_PAIRS;
  const rows = sorted.slice(0, SHOWN_PAIRS).map(({protocol, local, remote, sent, received}) => element("li", {},
    `${protocol.toUpperCase()} ${local ?? "no address of this browser"} to ${remote}${local ? `: ${sent} sent, ${received} answered` : ""}`));
  if (more > 0) rows.push(element("li", {}, `and ${more} more`));
  return [
    element("span", {}, stage === "dtls" ? "No media path: the relay answers, but the encrypted connection cannot be established."
      : "No media path: audio and video cannot reach the relay. A firewall may be in the way, or the relay announces an address that this network cannot reach."),
    element("ul", {class: "tried", "aria-label": "Addresses tried"}, ...rows),
  ];
}

/// Reasons of an end after which the same join may succeed.
const RETRIED = new Set(["networkLost", "slowConsumer", "protocolViolation", "relayShutdown", "connectFailed"]);

class SessionView {
  #session; #stage; #statistics; #toolbar; #messages; #banner; #deaf;

  constructor(session) {
    this.#session = session;
    byID("session").hidden = false;
    const hands = new Hands(session);
    const menu = (user, stream) => userMenu(session, this.#stage, user, stream, id => this.#messages.open({type: PEER, id}), hands);
    this.#stage = new Stage(session, menu, hands);
    new People(session, menu, hands);
    hands.addEventListener("change", ({detail}) => {
      if (detail?.isRaised && detail.user !== session.state.self) notice(`${session.state.users.get(detail.user)?.name ?? "A participant"} raised a hand`);
    });
    new SubsessionPanel(session);
    new Signals(session);
    const numbers = new Numbers(session), tabs = new Tabs(document.querySelector("#side .tabs"), [
      {name: "people", title: "People", glyph: "people"}, {name: "subsessions", title: "Rooms", glyph: "subsessions"},
      {name: "chat", title: "Chat", glyph: "chat"}, {name: "messages", title: "Messages", glyph: "mail"},
      {name: "signals", title: "Signals", glyph: "wave"}, {name: "statistics", title: "Statistics", glyph: "chart"},
    ]);
    const chat = new ChatPanel(session, tabs);
    this.#messages = new Messages(session, tabs);
    const openSide = isOpen => {
      byID("session").classList.toggle("has-side", isOpen);
      shown(tabs.selected);
    };
    const shown = name => ({chat, messages: this.#messages, statistics: {shown: () => numbers.render(this.#statistics)}})[name]?.shown();
    this.#banner = new SubsessionBanner(session, {onChoose: () => {
      tabs.select("subsessions");
      openSide(true);
      document.querySelector("#panel-subsessions [data-action=join-subsession]:not([hidden])")?.focus();
    }});
    this.#statistics = new Statistics(session);
    const fillScreen = () => attempt(() => this.#stage.fillScreen());
    this.#toolbar = new Toolbar(session, {hands, onPanel: () => openSide(), entries: () => [
      {name: "invite", text: "Invite…", run: () => this.#invite()},
      ...document.fullscreenEnabled ? [{name: "fill-screen", text: document.fullscreenElement ? "End full screen" : "Full screen", run: fillScreen}] : [],
      {name: "shortcuts", text: "Keyboard shortcuts…", run: shortcuts.showShortcuts},
    ]});
    this.#deaf = shortcuts.listen({
      m: () => this.#toolbar.toggle("audio"), v: () => this.#toolbar.toggle("video"), h: () => this.#toolbar.raise(), f: fillScreen,
      p: () => openSide(), i: () => this.#invite(), "?": shortcuts.showShortcuts,
      c: () => {
        tabs.select("chat");
        openSide(true);
        document.querySelector("#panel-chat textarea")?.focus();
      },
    });
    tabs.onMark = total => this.#toolbar.mark("panel", total);
    byID("session").classList.toggle("has-side", innerWidth > 900);
    tabs.onChange = shown;
    this.#statistics.start(statistics => {
      numbers.render(statistics);
      for (const track of statistics.tracks.values()) {
        if (track.kind !== "video") continue;
        this.#stage.showFacts(track.stream, Numbers.facts(track));
        if (track.direction === "in") this.#stage.countFrames(track.stream, track.frames ?? 0);
      }
    });
    session.addEventListener("change", ({detail}) => this.#changed(detail));
    session.addEventListener("status", () => this.#showState());
    session.addEventListener("noPath", () => this.#showState());
    session.addEventListener("notice", ({detail}) => notice(detail.text, detail));
    session.addEventListener("encryptionFailed", ({detail: {stream, reason}}) => {
      const user = session.state.users.get(session.state.streams.get(stream)?.connection)?.name ?? "A participant";
      notice(`${user} cannot be seen or heard: ${UNDECRYPTABLE[reason]}`, {isError: true});
    });
    session.addEventListener("keyAgreement", ({detail}) => {
      if (detail) notice(DISAGREEMENT[detail], {isError: true});
      this.#showState();
    });
    byID("stage").addEventListener("silent", this.#silent);
    this.#showState();
    byID("stage").focus({preventScroll: true});
  }

  end() {
    closeMenu();
    this.#deaf();
    this.#statistics.stop();
    this.#toolbar.end();
    this.#stage.end();
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    this.#messages.end();
    this.#banner.end();
    byID("stage").removeEventListener("silent", this.#silent);
    byID("session").hidden = true;
    byID("banner").hidden = true;
    byID("banner").dataset.shown = "";
    for (const dialog of document.querySelectorAll("dialog")) dialog.close("");
    clearNotices();
    document.title = "Millrace";
  }

  #showState() {
    const {status, state} = this.#session, banner = byID("banner");
    byID("session-name").textContent = state.sessionName;
    document.title = `${state.sessionName} – Millrace`;
    const [missing] = this.#session.missingPaths.values(), hasNoPath = !!missing && status === "connected";
    byID("status").textContent = hasNoPath ? "No media path" : STATUS[status];
    byID("status").dataset.status = hasNoPath ? "failed" : status;
    const recorded = [...new Set([...state.recordedStreams].map(id => state.users.get(state.streams.get(id)?.connection)?.name ?? "somebody"))];
    byID("recording-state").hidden = !state.isRecorded;
    byID("recording-state").title = state.isRecorded ? `Recorded: ${recorded.join(", ")}` : "";
    byID("live-state").hidden = !state.isLive;
    const {encryption} = this.#session, {safetyNumber} = encryption.agreement ?? {};
    byID("encryption-state").hidden = !encryption.isOn;
    byID("safety").hidden = !safetyNumber;
    byID("safety-number").textContent = safetyNumber ?? "";
    byID("lock-state").hidden = !state.isShareLocked;
    byID("mute-state").hidden = !state.isMuteForced;
    const shown = status === "reconnecting" ? "lost" : hasNoPath ? "path" : "";
    if (banner.dataset.shown === shown) return;
    banner.dataset.shown = shown;
    banner.hidden = !shown;
    banner.replaceChildren(...shown === "lost" ? [
      element("span", {}, "The connection is lost. Reconnecting: the session continues when it is back."),
      element("button", {type: "button", data: {action: "retry"}, onclick: () => this.#session.reconnect()}, "Try now"),
    ] : shown === "path" ? withoutPath(missing) : []);
  }

  /// Publishes the camera with the devices that were chosen.
  publish() { this.#toolbar.publish("camera"); }

  /// Shows the address of the session, without token and password.
  #invite() {
    const link = `${location.origin}/?${new URLSearchParams({session: this.#session.state.sessionName})}`;
    tell("Invite others", "Anyone with this address can join the session. The page asks for a password or token if one is needed.", link);
  }

  #changed({event, data, before}) {
    const {state} = this.#session, name = id => state.users.get(id)?.name ?? "Somebody";
    switch (event) {
    case "userJoined":
      notice(`${data.user.name} joined`);
      break;
    case "userLeft":
      notice(`${before?.name ?? "A participant"} ${data.reason === "removed" ? "was removed" : "left"}`);
      break;
    case "usersChanged": {
      const came = data.joined.filter(user => user.id !== state.self && !before.has(user.id)), went = data.left.filter(({user}) => before.has(user));
      if (came.length) notice(came.length > 1 ? `${came.length} people joined` : `${came[0].name} joined`);
      if (went.length) notice(went.length > 1 ? `${went.length} people left` : `${before.get(went[0].user).name} ${went[0].reason === "removed" ? "was removed" : "left"}`);
      break;
    }
    case "userDropped":
      if (data.user !== state.self) notice(data.isDropped ? `${name(data.user)} lost the connection` : `${name(data.user)} is back`);
      break;
    case "hostChanged":
      if (data.host) notice(data.host === state.self ? "You are host now" : `${name(data.host)} is host now`);
      break;
    case "userChanged":
      if (data.user.id === state.self && before) this.#roleChanged(before.role, data.user.role);
      break;
    case "muteForced":
      if (data.stream) notice(data.kind === "video" ? "Your video was stopped" : "You are muted by a moderator");
      else if (data.isActive !== before) notice(data.isActive ? "Everyone is muted; new participants start muted" : "New participants start unmuted again");
      break;
    case "recordingStarted":
      if (!before) notice("This session is recorded from now on");
      break;
    case "recordingStopped":
      if (before && !state.isRecorded) notice("The recording has ended");
      break;
    case "liveStarted":
      if (!before) notice("This session is streamed live from now on");
      break;
    case "liveFailed":
      notice(`Live stream: ${data.detail}${data.retryIn ? "; the relay tries again" : ""}`);
      break;
    case "liveStopped":
      if (before && !state.isLive) notice("The live stream has ended");
      break;
    case "shareLockChanged":
      notice(data.isLocked ? "Sharing is locked" : "Sharing is unlocked");
      break;
    case "unmuteRequested":
      this.#unmuteRequested(data, name(data.from));
      break;
    case "draining":
      notice(`The relay restarts within ${data.seconds} s; this page reconnects automatically`);
      break;
    }
    this.#showState();
  }

  /// Reports a change between manager and participant; `hostChanged` covers the host.
  #roleChanged(before, now) {
    if (before === now) return;
    if (now === "manager") notice("You are now a manager");
    else if (before === "manager" && now === "participant") notice("You are no longer a manager");
  }

  /// Asks the user to unmute on behalf of a moderator; only tells the user if the relay has unmuted it directly.
  #unmuteRequested({kind, isUnmuted}, who) {
    const session = this.#session, camera = session.publication("camera");
    if (!camera?.track(kind)) return;
    if (isUnmuted) return notice(`${who} ${kind === "audio" ? "unmuted you" : "started your video"}`);
    const [question, yes] = kind === "audio" ? ["asks you to unmute", "Unmute"] : ["asks you to start your video", "Start video"];
    notice(`${who} ${question}`, {actions: [
      {text: yes, name: "accept-unmute", run: () => attempt(() => session.setMuted(camera, kind, false))}, {text: "Not now", name: "decline-unmute", run: () => {}},
    ]});
  }

  /// Handles blocked autoplay: browsers play audio only after a user gesture.
  #silent = () => {
    if (this.silentSaid) return;
    this.silentSaid = true;
    notice("The browser has blocked audio", {actions: [{text: "Play audio", name: "play", run: () => {
      for (const video of document.querySelectorAll("video")) video.play().catch(() => {});
    }}]});
  };
}

let view = null;

const form = new JoinForm({
  makeSession: () => new Session(relayURL()),
  onJoined: (session, isStart) => {
    view = new SessionView(session);
    if (isStart) view.publish();
    session.addEventListener("ended", ({detail: {reason, message}}) => {
      view?.end();
      view = null;
      form.show(ENDED[reason] ?? explained({code: reason, message: message ?? reason}), {canRetry: RETRIED.has(reason)});
    });
    // Exposes the session to tests and to the browser's console.
    window.millrace = session;
  },
});

// After a change of network the old WebSocket may be dead without a close event.
window.addEventListener("online", () => window.millrace?.reconnect());

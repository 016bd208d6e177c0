// The card of one session: participants, streams, and the operator's actions.

import {confirm} from "../ui/dialogs.js";
import {bitrate, element, number, replaceWhereOther} from "../ui/dom.js";
import {attempt} from "../ui/notices.js";
import {QualityPanel} from "./quality.js";

/// Minimum milliseconds between two stills of a stream.
const STILL_AGE = 4000;
/// Phases in which a recording can be stopped.
const RUNNING = new Set(["waiting", "recording", "suspended"]);
const PHASES = {waiting: "Recording begins with the next key frame", recording: "Recording", suspended: "Recording suspended", ended: "Recorded",
                failed: "Recording failed"};

/// Returns a text such as "Recording, 1.2 MiB", with the error if there is one.
function recordingText({phase, bytes, error}) {
  return [PHASES[phase] ?? phase, bytes ? `${(bytes / 1048576).toFixed(1)} MiB` : null, error].filter(Boolean).join(", ");
}

export class SessionCard {
  #api; #changed; #rows = element("tbody"); #stills = element("div", {class: "stills"}); #title = element("h3"); #badges = element("span", {class: "row"});
  #figures = new Map(); #charts = element("div");
  /// Charts of the participant whose quality is shown; null if none.
  #quality = null;

  /// `changed()` is called after an action whose result the view should show at once.
  constructor(api, session, changed) {
    this.#api = api;
    this.#changed = changed;
    this.session = session;
    const head = ["Name", "Role", "Audio", "Video", "Screen", "Joined", "Id"].map(text => element("th", {scope: "col"}, text));
    head.push(element("th", {scope: "col"}, element("span", {class: "unseen"}, "Actions")));
    this.node = element("article", {class: "session", data: {session: session.name, app: session.app}},
                        element("header", {}, this.#title, this.#badges, element("span", {class: "spring"}),
                                this.#button("End session", "end", () => this.#end(), {kind: "danger", whom: session.name})),
                        element("div", {class: "scroll"}, element("table", {}, element("caption", {class: "unseen"}, "Participants"),
                                                                  element("thead", {}, element("tr", {}, ...head)), this.#rows)),
                        this.#charts, this.#stills);
  }

  /// `hasRecordings`: whether the relay records anything; if not, the state of recordings is not requested.
  async refresh(session, {hasRecordings = false} = {}) {
    this.session = session;
    this.hasRecordings = hasRecordings;
    this.#title.textContent = session.name;
    const badges = [`app ${session.app}`, `${session.participants} here`, `${session.streams} streams`, session.hasPassword && "password",
                    session.isMuteForced && "mute forced", session.isShareLocked && "share locked"];
    this.#badges.replaceChildren(...badges.filter(Boolean).map(text => element("span", {class: "badge"}, text)));
    const [participants, streams, tracks] = await Promise.all([
      this.#api.participants(session), this.#api.streams(session), this.#api.tracks(session).catch(() => ({streams: []})),
    ]);
    this.#showPeople(participants.participants, participants.next);
    await this.#refreshQuality();
    this.#showStreams(streams.streams, new Map(tracks.streams.map(stream => [stream.name, stream])), participants.participants);
  }

  end() {
    for (const figure of this.#figures.values()) URL.revokeObjectURL(figure.url);
    this.node.remove();
  }

  #showPeople(users, more) {
    const state = value => element("span", {class: `is-${value}`}, value);
    const rows = users.map(user => element("tr", {data: {user: user.id, name: user.name, audio: user.audio, role: user.role}},
      element("th", {scope: "row"}, user.name, user.isConnected ? null : element("span", {class: "badge warn"}, "lost")),
      element("td", {}, user.kind === "publisher" ? "publisher" : user.role), element("td", {}, state(user.audio)), element("td", {}, state(user.video)),
      element("td", {}, state(user.share)), element("td", {}, new Date(user.joinedAt).toLocaleTimeString()), element("td", {}, element("code", {}, user.id)),
      element("td", {class: "actions"}, this.#button("Quality", "quality", () => this.#toggleQuality(user), {whom: user.name}), " ",
              user.audio === "on" ? this.#button("Mute", "mute", () => this.#mute(user), {whom: user.name}) : null, " ",
              this.#button("Remove", "remove", () => this.#remove(user), {whom: user.name}))));
    if (more) rows.push(element("tr", {}, element("td", {colspan: 8}, "More participants are not shown.")));
    const held = this.#rows.contains(document.activeElement) ? [document.activeElement.closest("tr")?.dataset.user, document.activeElement.dataset.action] : null;
    this.#rows.replaceChildren(...rows);
    if (held) this.#rows.querySelector(`tr[data-user="${CSS.escape(held[0] ?? "")}"] [data-action="${held[1]}"]`)?.focus();
  }

  /// Shows the charts of a participant, or hides them.
  #toggleQuality(user) {
    const isShown = this.#quality?.user === user.id;
    this.#quality = isShown ? null : new QualityPanel(this.#api, this.session, user);
    this.#charts.replaceChildren(...(isShown ? [] : [this.#quality.node]));
    return attempt(() => this.#refreshQuality());
  }

  /// Draws the charts that are shown. Those of a participant who has left are removed.
  async #refreshQuality() {
    const shown = this.#quality;
    if (!shown) return;
    try {
      await shown.refresh();
    } catch (error) {
      if (error.status !== 404) throw error;
      if (this.#quality === shown) this.#quality = null;
      shown.node.remove();
    }
  }

  #showStreams(streams, tracks, users) {
    for (const [id, figure] of this.#figures) {
      if (streams.some(stream => stream.id === id)) continue;
      URL.revokeObjectURL(figure.url);
      figure.node.remove();
      this.#figures.delete(id);
    }
    for (const stream of streams) {
      if (!this.#figures.has(stream.id)) this.#figures.set(stream.id, this.#figure(stream));
      const figure = this.#figures.get(stream.id), owner = users.find(user => user.id === stream.connection);
      figure.name.textContent = `${owner?.name ?? "?"}: ${stream.name}`;
      const media = tracks.get(stream.id);
      figure.rates.textContent = [
        stream.videoType, media?.video?.height ? `${media.video.width}×${media.video.height}` : null, media?.video && bitrate(media.video.bitsPerSecond),
        media?.audio && `audio ${bitrate(media.audio.bitsPerSecond)}`, media?.video && `lost ${media.video.lost}`,
        media?.video && number(media.video.jitterMilliseconds, 1, " ms jitter"), media && `${media.subscribers} watching`,
      ].filter(Boolean).join(" · ");
      this.#showRecording(stream, figure);
      this.#recording(stream, figure);
      this.#still(stream, figure);
    }
  }

  #figure(stream) {
    const image = element("div", {class: "image"}, "waiting for an image"), name = element("strong"), rates = element("span", {class: "rates"});
    const actions = element("div", {class: "row"}), record = element("span", {class: "badge record", role: "status", hidden: true});
    const node = element("figure", {class: "still", data: {stream: stream.id}}, image, element("figcaption", {}, name, rates, record, actions));
    this.#stills.append(node);
    return {node, image, name, rates, actions, record, recording: null, url: null, at: -Infinity, isBusy: false, isAsking: false};
  }

  /// Shows the state of the recording and the buttons of the stream.
  #showRecording(stream, figure) {
    const {recording, record} = figure, text = recording ? recordingText(recording) : "";
    record.hidden = !recording;
    if (record.textContent !== text) record.textContent = text;
    record.dataset.phase = recording?.phase ?? "";
    const whom = figure.name.textContent, isRunning = RUNNING.has(recording?.phase);
    replaceWhereOther(figure.actions, [...this.#streamActions(stream, whom), this.#button(isRunning ? "Stop recording" : "Record",
      isRunning ? "record-stop" : "record-start", () => this.#record(stream, figure, isRunning ? "stop" : "start"), {whom})]);
  }

  async #recording(stream, figure) {
    if (figure.isAsking || !(this.hasRecordings || figure.recording)) return;
    figure.isAsking = true;
    try {
      figure.recording = await this.#api.recording(this.session, stream.id);
      this.#showRecording(stream, figure);
    } catch {
      // The next reading shows the state.
    } finally {
      figure.isAsking = false;
    }
  }

  #record(stream, figure, action) {
    return this.#act(async () => {
      figure.recording = await this.#api.record(this.session, stream.id, action);
      this.#showRecording(stream, figure);
    });
  }

  #streamActions(stream, whom) {
    const act = (text, name, kind, muted) =>
      this.#button(text, name, () => this.#act(() => this.#api.muteStream(this.session, stream.id, kind, muted)), {whom});
    return [
      stream.isAudioMuted ? act("Lift mute", "unmute-audio", "audio", false) : stream.hasAudio ? act("Mute audio", "mute-audio", "audio", true) : null,
      stream.isVideoMuted ? act("Show video", "unmute-video", "video", false) : stream.hasVideo ? act("Stop video", "mute-video", "video", true) : null,
    ].filter(Boolean);
  }

  /// Loads a new still if the last one is older than `STILL_AGE` and the page is visible.
  async #still(stream, figure) {
    if (figure.isBusy || document.hidden || performance.now() - figure.at < STILL_AGE) return;
    if (!stream.hasVideo) {
      figure.image.replaceChildren(stream.isVideoMuted ? "video is stopped" : "no video");
      return;
    }
    figure.isBusy = true;
    let url = null;
    try {
      url = URL.createObjectURL(await this.#api.still(this.session, stream.id));
      const image = element("img", {src: url, alt: `Still image of ${figure.name.textContent}`});
      await image.decode();
      if (figure.node.isConnected) {
        figure.image.replaceChildren(image);
        [figure.url, url] = [url, figure.url];
      }
    } catch {
      if (!figure.url) figure.image.replaceChildren("no image yet");
    } finally {
      // Releases the previous still, or the new one if it was not shown.
      if (url) URL.revokeObjectURL(url);
      figure.at = performance.now();
      figure.isBusy = false;
    }
  }

  /// `whom`: read by screen readers to tell buttons with the same text apart.
  #button(text, action, run, {kind = "", whom}) {
    return element("button", {type: "button", class: kind, data: {action}, "aria-label": `${text}: ${whom}`, onclick: run}, text);
  }

  #act(work) {
    return attempt(async () => {
      await work();
      this.#changed();
    });
  }

  async #end() {
    if (await confirm("End session", `All participants of ${this.session.name} are disconnected.`, "End", {danger: true})) this.#act(() => this.#api.end(this.session));
  }

  #mute(user) { return this.#act(() => this.#api.mute(this.session, user.id, "audio")); }

  async #remove(user) {
    const sure = await confirm("Remove", `${user.name} is disconnected and cannot come back while the session lives.`, "Remove", {danger: true});
    if (sure) this.#act(() => this.#api.remove(this.session, user.id));
  }
}

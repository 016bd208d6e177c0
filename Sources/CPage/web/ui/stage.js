// The videos: a grid, or a large tile beside a strip of the others. Tells the relay which sizes are shown.

import {choices, preferences} from "./devices.js";
import {byID} from "./dom.js";
import {Tile} from "./tile.js";

/// Heights that are requested: the smallest one that is not smaller than the tile.
const HEIGHTS = [180, 360, 720, 1080];
const SHAPE = 16 / 9;
/// Padding and gap in pixels, as in session.css.
const PADDING = 8, GAP = 12;
/// Audio level, 0...1, from which a user counts as speaking.
const SPEAKS = 0.02;

/// Returns the age of a receiver's timestamp in milliseconds. Browsers count from the page's start or from 1970.
function age(timestamp) {
  const now = performance.now();
  return Math.min(Math.abs(now - timestamp), Math.abs(performance.timeOrigin + now - timestamp));
}

export class Stage {
  #stage = byID("stage"); #tiles = new Map(); #session; #menu; #pinned = null; #unpinned = new Set(); #timers = []; #observer; #preferTimer = 0;
  #off = new Map(); #undecodable = new Set(); #hands;

  /// `menu(user, stream)` returns the entries of a tile's menu. `hands`: the raised hands.
  constructor(session, menu, hands) {
    this.#session = session;
    this.#hands = hands;
    hands.addEventListener("change", () => this.render());
    choices.addEventListener("change", this.#chosen);
    this.#menu = menu;
    this.#observer = new ResizeObserver(() => this.#arrange());
    this.#observer.observe(this.#stage);
    session.addEventListener("media", () => this.render());
    session.addEventListener("published", () => this.render());
    session.addEventListener("change", ({detail}) => this.#changed(detail));
    this.#timers.push(setInterval(() => this.#listen(), 250));
    session.preferencesFor = stream => ({...this.#size(stream.videoType === "screen" ? 1080 : 360), ...this.#off.get(stream.id)});
    document.addEventListener("visibilitychange", this.#prefer);
    document.addEventListener("fullscreenchange", this.#prefer);
    this.render();
  }

  end() {
    this.#timers.forEach(clearInterval);
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.#prefer);
    document.removeEventListener("fullscreenchange", this.#prefer);
    choices.removeEventListener("change", this.#chosen);
    clearTimeout(this.#preferTimer);
    for (const tile of this.#tiles.values()) tile.end();
    this.#tiles.clear();
  }

  /// Shows a line of figures in a tile.
  showFacts(stream, text) {
    for (const tile of this.#tiles.values()) if (tile.stream?.id === stream) tile.showFacts(text);
  }

  /// Passes the number of decoded frames to a stream's tile, each second.
  countFrames(stream, count) {
    for (const tile of this.#tiles.values()) if (tile.stream?.id === stream) tile.countFrames(count, performance.now());
  }

  /// Shows a stream in full screen; the page if there is no stream or it is not shown. Ends full screen if it is on.
  async fillScreen(stream = null) {
    if (document.fullscreenElement) return document.exitFullscreen();
    const tile = [...this.#tiles.values()].find(one => one.stream && one.stream.id === stream);
    return (tile?.node ?? document.documentElement).requestFullscreen();
  }

  isOff(stream, kind) { return this.#off.get(stream)?.[kind] === false; }

  /// Stops or resumes receiving a kind of a stream, for this user only.
  setOff(stream, kind, isOff) {
    this.#off.set(stream, {...this.#off.get(stream), [kind]: !isOff});
    this.#prefer();
    this.render();
  }

  pin(key) {
    if (this.#focus() === key) {
      this.#unpinned.add(key);
      this.#pinned = null;
    } else {
      this.#unpinned.delete(key);
      this.#pinned = key;
    }
    this.render();
  }

  render() {
    const wanted = this.#wanted(), focus = this.#focus(wanted);
    for (const [key, tile] of this.#tiles) {
      if (wanted.has(key)) continue;
      tile.end();
      this.#tiles.delete(key);
    }
    for (const [key, facts] of wanted) {
      if (!this.#tiles.has(key)) {
        const tile = new Tile(key, {pin: tile => this.pin(tile.key), menu: tile => this.#menu(tile.user, tile.stream)});
        this.#tiles.set(key, tile);
        this.#stage.append(tile.node);
        this.#speaker(tile);
      }
      this.#tiles.get(key).update({...facts, isPinned: key === focus, isRaised: facts.stream?.videoType !== "screen" && this.#hands.raised.has(facts.user.id)});
      this.#tiles.get(key).node.classList.toggle("is-large", key === focus);
    }
    this.#arrange();
  }

  /// Returns a map from key to the content of a tile. Keys survive reconnects of the same user.
  #wanted() {
    const {state, publisher, subscriber} = this.#session, wanted = new Map();
    for (const user of state.users.values()) {
      // Users in other subsessions have no tile.
      if (!state.isHere(user.id)) continue;
      const isOwn = user.id === state.self, streams = state.streamsOf(user.id);
      if (isOwn) {
        for (const publication of publisher?.publications ?? []) {
          if (!publication.id) continue;
          const stream = state.streams.get(publication.id) ?? {
            id: publication.id, connection: user.id, name: publication.name, videoType: publication.videoType, hasAudio: !!publication.track("audio"),
            hasVideo: !!publication.track("video"), isAudioMuted: publication.track("audio")?.enabled === false,
          };
          wanted.set(publication.id, {user, stream, media: publication.media, isOwn});
        }
      } else {
        for (const stream of streams) {
          wanted.set(stream.id, {user, stream, media: subscriber?.media(stream.id), isOwn, isHidden: this.isOff(stream.id, "video"),
                                  isUndecodable: this.#undecodable.has(stream.id)});
        }
      }
      const has = [...wanted.values()].some(one => one.user === user && one.stream.videoType !== "screen");
      if (!has && user.kind !== "publisher") wanted.set(`user:${user.id}`, {user, stream: null, media: null, isOwn});
    }
    return wanted;
  }

  #chosen = () => {
    for (const tile of this.#tiles.values()) this.#speaker(tile);
    this.render();
  };

  /// Sets the output device of a tile; if the speaker is gone, the browser chooses.
  #speaker({video}) {
    const {speaker} = preferences();
    if (video.setSinkId && video.sinkId !== speaker) video.setSinkId(speaker).catch(() => {});
  }

  /// Returns the key of the large tile: the pinned one, else the newest screen of another user. The own screen is excluded because it would
  /// show itself recursively.
  #focus(wanted = this.#wanted()) {
    if (wanted.has(this.#pinned)) return this.#pinned;
    const screens = [...wanted].filter(([key, {stream, isOwn}]) => stream?.videoType === "screen" && !isOwn && !this.#unpinned.has(key));
    return screens.at(-1)?.[0] ?? null;
  }

  #arrange() {
    const count = this.#tiles.size, focus = this.#focus(), stage = this.#stage;
    stage.classList.toggle("has-focus", focus !== null && count > 1);
    const {clientWidth: width, clientHeight: height} = stage;
    let best = 0;
    for (let columns = 1; columns <= count; columns++) {
      const rows = Math.ceil(count / columns), of = (length, parts) => (length - 2 * PADDING - GAP * (parts - 1)) / parts;
      const size = Math.min(of(width, columns), of(height, rows) * SHAPE);
      best = Math.max(best, size);
    }
    stage.style.setProperty("--strip", Math.max(1, count - 1));
    stage.style.setProperty("--stage-height", `${height}px`);
    stage.style.setProperty("--tile", `${Math.max(120, Math.floor(best))}px`);
    clearTimeout(this.#preferTimer);
    this.#preferTimer = setTimeout(this.#prefer, 400);
  }

  #size(height) {
    const fit = HEIGHTS.find(one => one >= height * 0.8) ?? HEIGHTS.at(-1);
    return {height: fit, width: Math.round(fit * SHAPE)};
  }

  /// Requests the sizes that the tiles show, and no video while the page is hidden.
  #prefer = () => {
    const {subscriber, status} = this.#session;
    if (!subscriber || status !== "connected") return;
    for (const tile of this.#tiles.values()) {
      if (tile.isOwn || !tile.stream || !subscriber.wanted.has(tile.stream.id)) continue;
      const isLarge = tile.node.classList.contains("is-large"), off = this.#off.get(tile.stream.id);
      const preferences = {...this.#size(tile.node.clientHeight * devicePixelRatio), priority: isLarge ? 90 : 50, ...off};
      if (document.hidden) preferences.video = false;
      this.#session.prefer(tile.stream.id, preferences).catch(() => {});
    }
  };

  #changed({event, data}) {
    if (["signal", "offer", "chat", "broadcast"].includes(event)) return;
    if (event === "streamDestroyed") {
      this.#off.delete(data.stream);
      this.#undecodable.delete(data.stream);
      this.#unpinned.delete(data.stream);
    }
    if (event === "reset") this.#undecodable.clear();
    if (event === "subscriptionChanged") {
      const tile = this.#tiles.get(data.stream);
      if (data.state === "videoDisabled" && data.reason === "unsupportedCodec") this.#setUndecodable(data.stream, true);
      else if (data.state === "videoDisabled") tile?.setPaused(true, data.reason);
      if (data.state === "videoEnabled") this.#setUndecodable(data.stream, false);
      if (["videoEnabled", "reconnected", "resumed"].includes(data.state)) tile?.setPaused(false);
      return;
    }
    if (event === "activeSpeaker") return this.#listen();
    this.render();
  }

  /// Shows in a stream's tile that this browser does not accept the codec of its video.
  #setUndecodable(stream, isUndecodable) {
    if (this.#undecodable.has(stream) === isUndecodable) return;
    if (isUndecodable) this.#undecodable.add(stream);
    else this.#undecodable.delete(stream);
    this.render();
  }

  /// Marks speaking users, by the relay's active speaker and by the received audio level.
  #listen() {
    const {state, subscriber} = this.#session;
    for (const tile of this.#tiles.values()) {
      if (!tile.stream) continue;
      const sources = tile.isOwn ? [] : subscriber?.receiver(tile.stream.id, "audio")?.getSynchronizationSources?.() ?? [];
      const recent = sources.find(source => age(source.timestamp) < 800);
      const isMuted = tile.stream.isAudioMuted;
      tile.speak(!isMuted && ((recent?.audioLevel ?? 0) > SPEAKS || state.activeSpeaker === tile.stream.id));
    }
  }
}

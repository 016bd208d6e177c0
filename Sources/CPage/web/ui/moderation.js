// Menu entries for actions on a user and on the session; used by tiles and by the list of people.

import {ask, askFor, confirm} from "./dialogs.js";
import {attempt, notice} from "./notices.js";

/// Returns the menu entries of a user, or of one of its streams. `write(identity)` opens a conversation. `hands`: the raised hands.
export function userMenu(session, stage, user, stream, write, hands) {
  if (!user) return [];
  const {state} = session, {may} = state, items = [], isSelf = user.id === state.self;
  const add = (allowed, name, text, run, danger = false) => { if (allowed) items.push({name, text, danger, run: () => attempt(run)}); };
  const request = (method, params) => () => session.request(method, params);

  if (stream && !isSelf) {
    for (const [kind, on, off] of [["video", "Show video", "Hide video for me"], ["audio", "Hear again", "Silence for me"]]) {
      const isOff = stage.isOff(stream.id, kind);
      add(true, `off-${kind}`, isOff ? on : off, async () => stage.setOff(stream.id, kind, !isOff));
    }
    add(document.fullscreenEnabled, "full-screen", document.fullscreenElement ? "End full screen" : "Full screen", () => stage.fillScreen(stream.id));
    items.push(null);
  }
  add(!isSelf && user.identity && session.conversations.isOpen, "write", "Message…", () => write(user.identity));
  add(!isSelf && may.moderate && hands.raised.has(user.id), "lower-hand", "Lower hand", () => hands.lower(user.id));
  add(may.rename(user), "rename", isSelf ? "Change your name…" : "Rename…", () => rename(session, user));
  add(may.mute(user) && user.audio === "on", "mute", "Mute", request("muteUser", {user: user.id, kind: "audio"}));
  add(may.mute(user) && user.video === "on", "mute-video", "Stop video", request("muteUser", {user: user.id, kind: "video"}));
  add(may.askToUnmute(user) && user.audio === "muted", "ask-unmute", "Ask to unmute", async () => {
    await session.request("requestUnmute", {user: user.id, kind: "audio"});
    notice(`${user.name} was asked to unmute`);
  });
  add(may.askToUnmute(user) && user.video === "muted", "ask-unmute-video", "Ask to start video", request("requestUnmute", {user: user.id, kind: "video"}));
  add(may.forceMute && stream && !stream.isAudioMuted && stream.hasAudio, "force-mute-stream", "Force mute this stream",
      request("forceMuteStream", {stream: stream?.id}));
  add(may.goLive && stream && !stream.isEncrypted, "start-live", "Live stream…", () => startLive(session, stream));
  add(may.setManager(user) && user.role === "participant", "make-manager", "Make manager", request("setManager", {user: user.id, isManager: true}));
  add(may.setManager(user) && user.role === "manager", "revoke-manager", "No longer manager", request("setManager", {user: user.id, isManager: false}));
  add(may.makeHost(user), "make-host", "Make host", async () => {
    if (await confirm("Make host", `${user.name} becomes host; you are no longer the host.`, "Make host")) await session.request("makeHost", {user: user.id});
  });
  add(may.remove(user), "remove", "Remove…", async () => {
    if (await confirm("Remove", `${user.name} is disconnected and cannot join this session again.`, "Remove", {danger: true})) {
      await session.request("removeUser", {user: user.id});
    }
  }, true);
  while (items.at(-1) === null) items.pop();
  return items;
}

async function rename(session, user) {
  const name = await ask("Rename", "Name", {value: user.name, action: "Rename"});
  if (name !== null && name.trim() !== user.name) await session.request("rename", {user: user.id, name: name.trim()});
}

/// Asks for a WHIP server and pushes a stream, or without one the session's programme, to it. The relay reports the result by events.
async function startLive(session, stream) {
  const answer = await askFor("Live stream", [
    {name: "to", label: "Address of the WHIP server", hint: "An https URL", maximum: 2_048},
    {name: "token", label: "Token", hint: "Only if the server asks for one", maximum: 2_048, isNeeded: false},
  ], {action: "Start"});
  if (!answer) return;
  const {id} = await session.request("startLive", {to: answer.to, ...(stream && {stream: stream.id}), ...(answer.token && {token: answer.token})});
  session.state.connecting(id, stream?.id);
  notice("The relay connects to the server");
}

/// Returns the menu entries for the whole session.
export function sessionMenu(session) {
  const {state} = session, {may} = state, items = [];
  const add = (allowed, name, text, run, danger = false) => { if (allowed) items.push({name, text, danger, run: () => attempt(run)}); };
  const own = state.ownStreams.map(stream => stream.id);
  add(may.forceMute, "force-mute-all", "Mute everyone", () => session.request("forceMuteAll", {excluding: []}));
  add(may.forceMute && own.length, "force-mute-others", "Mute everyone but me", () => session.request("forceMuteAll", {excluding: own}));
  add(may.forceMute && state.isMuteForced, "disable-force-mute", "New participants start unmuted", () => session.request("disableForceMute"));
  if (items.length) items.push(null);
  add(may.lockShare && !state.isShareLocked, "lock-share", "Lock sharing", () => session.request("lockShare", {isLocked: true}));
  add(may.lockShare && state.isShareLocked, "unlock-share", "Unlock sharing", () => session.request("lockShare", {isLocked: false}));
  add(may.goLive && ![...state.streams.values()].some(stream => stream.isEncrypted), "start-live-programme", "Live stream of the session…",
      () => startLive(session, null));
  add(may.goLive && state.liveStreams.size, "stop-live", "End live streams", async () => {
    for (const id of [...state.liveStreams.keys()]) await session.request("stopLive", {id});
  });
  add(may.endForAll, "end-for-all", "End for all…", async () => {
    if (await confirm("End for all", "All participants are disconnected and the session ends.", "End", {danger: true})) await session.leave(true);
  }, true);
  while (items.at(-1) === null) items.pop();
  return items;
}

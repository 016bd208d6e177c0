// The menu of a conversation, shown in the list and above its messages.

import {DO_NOT_DISTURB, GROUP, NOTIFY, identities, keyOf} from "../client/conversations.js";
import {askFor, confirm, tell} from "./dialogs.js";
import {attempt} from "./notices.js";

/// Returns the menu's entries. `group`: null if it is not known yet.
export function conversationMenu(session, conversation, group = null) {
  const {conversations} = session, {type, id, unread = 0, notification = NOTIFY} = conversation, isMuted = notification === DO_NOT_DISTURB,
      items = [];
  const isListed = conversation.order !== undefined, name = conversation.name || id;
  const add = (allowed, name, text, run, danger = false) => { if (allowed) items.push({name, text, danger, run: () => attempt(run)}); };
  add(unread > 0, "clear-unread", "Mark as read", () => conversations.clearUnread(conversation));
  add(isListed, "do-not-disturb", isMuted ? "Notify again" : "Do not disturb",
      () => conversations.setNotification(conversation, isMuted ? NOTIFY : DO_NOT_DISTURB));
  if (type === GROUP) {
    const isOwner = group?.owner === conversations.user;
    add(true, "members", "Members", async () => {
      const members = await conversations.members(id), owner = conversations.groups.get(keyOf(conversation))?.owner;
      await tell(name, members.map(member => member === owner ? `${member} (owner)` : member).join(", "));
    });
    add(true, "invite", "Invite…", async () => {
      const answer = await askFor("Invite", [{name: "members", label: "User ids", hint: "One per line.", lines: 4, maximum: 20_000}],
                                  {action: "Invite"});
      if (answer) await conversations.invite(id, identities(answer.members));
    });
    items.push(null);
    add(true, "leave-group", "Leave the group…", async () => {
      if (await confirm("Leave the group", `You will get no more messages from ${name}.`, "Leave", {danger: true})) await conversations.leave(id);
    }, true);
    add(isOwner || group === null, "dismiss-group", "Dismiss the group…", async () => {
      if (await confirm("Dismiss the group", `${name} is closed for all members.`, "Dismiss", {danger: true})) await conversations.dismiss(id);
    }, true);
  }
  if (items.length) items.push(null);
  add(true, "delete-messages", "Delete the messages…", async () => {
    if (await confirm("Delete the messages", "They are deleted for you, not for others.", "Delete",
                      {danger: true})) await conversations.deleteMessages(conversation);
  }, true);
  add(isListed, "delete-conversation", "Delete from the list", () => conversations.delete(conversation), true);
  return items;
}

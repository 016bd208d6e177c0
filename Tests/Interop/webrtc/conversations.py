"""Cases of the page at `/`: conversations outside the session. Users in Chromium, by its buttons."""

from webrtc.cut import Cut
from webrtc.room import relay
from webrtc.talk import Talk


def conversations(bench, name):
    """Two users who never meet in a session, and a third who receives messages while away."""
    check = bench.reporter.check
    server = relay(bench, extra=("--limit-group-members", "4"))
    way = bench.keep(Cut(server.port))
    ada = Talk(bench, server.url, "one", "Ada", role="host")
    kim = Talk(bench, way.url, "two", "Kim", role="host")
    for one in (ada, kim):
        check(name, f"{one.name} is in", one.is_in(), page=one.look("why"))
        one.look("tab", "messages")
        check(name, f"{one.name} has a user id",
              one.until(lambda: f"“{one.name}”" in one.page.evaluate("document.getElementById('panel-messages').textContent")))
    ada.look("press", "new-message")
    ada.fills({"user": "Kim"})
    ada.write("hello <b>Kim</b>")
    check(name, "a sent message is shown once",
          ada.until(lambda: ada.look("thread") == [["You", "hello <b>Kim</b>", ""]]), thread=ada.look("thread"))
    check(name, "the other has a conversation, and one unread",
          kim.until(lambda: kim.look("conversations") == {"Ada": [1, "hello <b>Kim</b>", False]} and kim.look("count", "messages") == 1),
          list=kim.look("conversations"))
    check(name, "and is told", kim.until(lambda: "Ada: hello <b>Kim</b>" in kim.look("notices")), notices=kim.look("notices"))
    kim.look("open", "Ada")
    check(name, "a read message does not count as unread",
          kim.until(lambda: kim.look("count", "messages") == 0), count=kim.look("count", "messages"))
    kim.write("hello Ada")
    check(name, "the answer comes into the open conversation",
          ada.until(lambda: ada.look("thread")[1:] == [["Kim", "hello Ada", ""]] and ada.look("count", "messages") == 0),
          thread=ada.look("thread"), count=ada.look("count", "messages"))
    # Written by the receiver and to it while its connection is cut: sent once, read once.
    way.close()
    kim.until(lambda: kim.look("status") == "reconnecting")
    kim.write("from afar")
    for number in range(40):
        ada.page.evaluate(f"millrace.conversations.send({{type: 0, id: 'Kim'}}, 'line {number}')")
    check(name, "an unsent message is shown as being sent",
          kim.until(lambda: kim.look("thread")[-1] == ["You", "from afar", "", "sending"]), thread=kim.look("thread"))
    check(name, "all is stored", ada.until(lambda: ada.page.evaluate("millrace.conversations.outbox.entries.length") == 0, 10))
    way.open()
    check(name, "both ways arrive",
          kim.until(lambda: kim.look("thread")[-1:] == [["You", "from afar", ""]] and len(kim.look("thread")) == 43, 12) and
          ada.until(lambda: ada.look("thread")[-1:] == [["Kim", "from afar", ""]]), last=kim.look("thread")[-1:], count=len(kim.look("thread")))
    check(name, "each once, in order", [line[1] for line in kim.look("thread")][2:42] == [f"line {number}" for number in range(40)])
    check_history(bench, name, server, ada)
    check_marks(bench, name, server, ada, kim)
    check_groups(bench, name, ada, kim)
    check_limits(bench, name, ada)
    check(name, "every control has a name", ada.page.unnamed() == [], without=ada.page.unnamed())


def check_history(bench, name, server, ada):
    """The same user in another window, with an empty store, and under another name."""
    check = bench.reporter.check
    again = Talk(bench, server.url, "three", "Kimberley", role="host", identity="Kim")
    again.is_in()
    again.look("tab", "messages")
    check(name, "another window has the list", again.until(lambda: "Ada" in again.look("conversations")), list=again.look("conversations"))
    check(name, "its rows name the last author", again.until(lambda: again.look("conversations")["Ada"][1] == "You: from afar"),
          list=again.look("conversations"))
    check(name, "a conversation has the name that the other has now, whatever its id",
          ada.until(lambda: ada.look("head")[0] == "Kimberley"), head=ada.look("head"))
    again.look("open", "Ada")
    check(name, "it begins with the newest page",
          again.until(lambda: len(again.look("thread")) == 30) and again.look("thread")[-1] == ["You", "from afar", ""],
          count=len(again.look("thread")))
    again.look("scrollUp", "messages")
    check(name, "older ones come as one scrolls",
          again.until(lambda: len(again.look("thread")) == 43) and again.look("thread")[0] == ["Ada", "hello <b>Kim</b>", ""],
          count=len(again.look("thread")))
    again.stop()


def check_marks(bench, name, server, ada, kim):
    check = bench.reporter.check
    kim.look("press", "back")
    kim.look("conversationMenu", "Ada", "do-not-disturb")
    check(name, "do not disturb is shown", kim.until(lambda: kim.look("conversations")["Ada"][2]))
    ada.write("psst")
    check(name, "it counts in the conversation and not in the total",
          kim.until(lambda: kim.look("conversations")["Ada"] == [1, "psst", True]) and kim.look("count", "messages") == 0,
          list=kim.look("conversations"))
    check(name, "and shows no notice", not any("psst" in text for text in kim.look("notices")), notices=kim.look("notices"))
    kim.look("conversationMenu", "Ada", "do-not-disturb")
    check(name, "once it is lifted it counts", kim.until(lambda: kim.look("count", "messages") == 1))
    kim.look("conversationMenu", "Ada", "delete-conversation")
    check(name, "a deleted conversation is off the list, and its unread off the total",
          kim.until(lambda: kim.look("conversations") == {} and kim.look("count", "messages") == 0),
          list=kim.look("conversations"))
    ada.write("are you there?")
    check(name, "a new message brings it back, with its history",
          kim.until(lambda: kim.look("conversations") == {"Ada": [1, "are you there?", False]}), list=kim.look("conversations"))
    kim.look("open", "Ada")
    check(name, "its messages have stayed", kim.until(lambda: len(kim.look("thread")) > 30), count=len(kim.look("thread")))
    again = Talk(bench, server.url, "four", "Kim", role="host")
    again.is_in()
    again.look("tab", "messages")
    again.until(lambda: "Ada" in again.look("conversations"))
    again.look("open", "Ada")
    check(name, "another window shows them too", again.until(lambda: len(again.look("thread")) >= 30), count=len(again.look("thread")))
    kim.look("conversationMenu", None, "delete-messages")
    kim.look("answer", "yes")
    check(name, "until they are deleted, for oneself alone",
          kim.until(lambda: kim.look("thread") == []) and len(ada.look("thread")) > 30, count=len(kim.look("thread")))
    check(name, "in every window", again.until(lambda: again.look("thread") == []), count=len(again.look("thread")))
    again.stop()
    kim.look("press", "back")


def check_groups(bench, name, ada, kim):
    check = bench.reporter.check
    ada.look("press", "back")
    ada.look("press", "new-group")
    ada.fills({"name": "Choir", "members": "Kim"})
    check(name, "a group is there for its members at once",
          kim.until(lambda: "Choir" in kim.look("conversations")), list=kim.look("conversations"))
    ada.until(lambda: ada.look("mayWrite", "messages"))
    ada.write("Monday at eight")
    check(name, "its messages reach them, with their author",
          kim.until(lambda: kim.look("conversations")["Choir"] == [1, "Ada: Monday at eight", False]), list=kim.look("conversations"))
    rows = kim.look("rows")
    check(name, "a row shows kind, name, time and unread messages",
          [rows[0][:2], rows[0][3]] == [["2", "Choir"], ["group", "1 unread message"]] and 0 <= rows[0][2] < 60, rows=rows)
    check(name, "the newest first", [row[:2] for row in rows[1:]] == [["0", "Ada"]], rows=rows)
    ada.look("conversationMenu", None, "invite")
    ada.fills({"members": "Leo\nZoe"})
    check(name, "members are invited", ada.until(lambda: ada.look("head") == ["Choir", "4 members"]), head=ada.look("head"))
    ada.look("conversationMenu", None, "invite")
    ada.fills({"members": "Max"})
    check(name, "not more than a group may have, which is said",
          ada.until(lambda: any("at most 4 members" in text for text in ada.look("notices"))) and ada.look("head") == ["Choir", "4 members"],
          notices=ada.look("notices"))
    kim.look("open", "Choir")
    kim.until(lambda: kim.look("thread"))
    kim.look("conversationMenu", None, "members")
    check(name, "a member sees the members", kim.until(lambda: "Ada (owner), Kim, Leo, Zoe" in kim.look("dialog")), dialog=kim.look("dialog"))
    kim.look("answer", "")
    kim.look("conversationMenu", None, "leave-group")
    kim.look("answer", "yes")
    check(name, "the group is gone for a member that leaves",
          kim.until(lambda: "Choir" not in kim.look("conversations") and "Ada" in kim.look("conversations")),
          list=kim.look("conversations"))
    check(name, "and is no member", ada.until(lambda: ada.look("head") == ["Choir", "3 members"]), head=ada.look("head"))
    ada.look("conversationMenu", None, "dismiss-group")
    ada.look("answer", "yes")
    check(name, "its owner dismisses it", ada.until(lambda: list(ada.look("conversations")) == ["Kim"]), list=ada.look("conversations"))


def check_limits(bench, name, ada):
    """Texts that are too long, and too many messages: refused with separate errors, by the page and by the relay."""
    check = bench.reporter.check
    ada.look("open", "Kim")
    ada.until(lambda: ada.look("thread"))
    before, long = ada.look("thread"), "ä" * 5000
    ada.look("say", "messages", long)
    check(name, "a text of more than 8 KiB is refused, and it is said",
          ada.until(lambda: any("at most 8 KiB" in text for text in ada.look("notices"))), notices=ada.look("notices"))
    check(name, "nothing cuts it before", ada.page.evaluate("document.querySelector('#panel-messages .compose textarea').maxLength") == -1)
    check(name, "the text stays in its field", ada.look("typed", "messages") == long and ada.look("thread") == before)
    refused = ada.refusal("sendMessage", conversation={"type": 0, "id": "Kim"}, message="long", text=long)
    check(name, "at the relay as well", refused == "textTooLong", answer=refused)
    codes = ada.page.evaluate("""Promise.all(Array.from({length: 60}, (_, at) => millrace.request("sendMessage",
        {conversation: {type: 0, id: "Kim"}, message: `burst-${at}`, text: "now"}).then(() => "", error => error.code)))""")
    check(name, "more of one user than 20 a second are refused", set(codes) == {"", "rateLimited"}, answers=sorted(set(codes)), sent=codes.count(""))
    ada.write("as soon as there is room")
    check(name, "a message of the page is sent once the rate allows it", ada.until(lambda: ada.look("thread")[-1] == ["You", "as soon as there is room", ""]),
          last=ada.look("thread")[-1])


ALL = [("page: conversations", conversations)]
LONG = []

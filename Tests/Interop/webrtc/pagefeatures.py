"""Cases of the page at `/`: names and sizes, its layout on small and large screens, and each feature by its buttons."""

import json

from webrtc.room import Room, relay


def names(bench, name):
    """A user and a session with spaces and a plus in their names."""
    check = bench.reporter.check
    server = relay(bench)
    for who, session in (("Ada Lovelace", "Support 17"), ("Bob+Eve & Kim", "a+b")):
        room = Room(bench, "chromium", server.url, session, who)
        check(name, f"{who} is in {session}", room.is_in(), page=room.look("why"))
        known = room.page.evaluate("[millrace.state.sessionName, millrace.state.me.name, millrace.state.me.identity]")
        check(name, "the relay knows both names, and the user id, as they were typed", known == [session, who, who], known=known)


def publish(room, width, height):
    """Publishes a test picture of that size as the camera."""
    room.page.evaluate(f"""(async () => {{ const {{testPicture}} = await import("/page/client/sources.js");
        await millrace.publish({{name: "camera", media: testPicture({json.dumps(room.name)}, {{width: {width}, height: {height}}})}}); }})()""")


def sizes(bench, name):
    """The largest encoding of a small source has the full size of the source."""
    server = relay(bench)
    eyes = Room(bench, "chromium", server.url, "sizes", "Eyes", role="host")
    bench.reporter.check(name, "the subscriber is in", eyes.is_in(), page=eyes.look("why"))
    for who, width, height in (("Ada", 640, 480), ("Bob", 640, 360), ("Kim", 320, 240)):
        room = Room(bench, "chromium", server.url, "sizes", who, role="participant")
        room.is_in()
        publish(room, width, height)
        shown = eyes.until(lambda: (eyes.look("seen", who) or {}).get("width") == width, 15)
        bench.reporter.check(name, f"{width}x{height} arrives in full size", shown, seen=eyes.look("seen", who))
        room.stop()


ALL = [
    ("page: names with spaces", names),
    ("page: full size", sizes),
]
LONG = []

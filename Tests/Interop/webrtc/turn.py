"""TURN: Chromium reaches the relay only through Debian's coturn, in the configuration of docs/deploy.md."""

import pathlib
import re
import shutil
import time

import blocks
import clients
from webrtc.network import RELAY
from webrtc.pairs import OWN, check_frames
from webrtc.trouble import selected, settled
from webrtc.watch import Watch

DEPLOY = pathlib.Path(__file__).resolve().parents[3] / "docs/deploy.md"
LINK = re.compile(r'<(turns?:[^>]+)>; rel="ice-server"; username="([^"]*)"; credential="([^"]*)"')


def configuration(folder):
    """Returns coturn's configuration of the document, with the addresses of the test and without TLS; and the user and its password."""
    text = next(block.text for block in blocks.blocks(DEPLOY.read_text()) if block.language == "coturn")
    text, count = re.subn(r"^allowed-peer-ip=.*$", f"allowed-peer-ip={RELAY}", text, flags=re.M)
    text, tls = re.subn(r"^(tls-listening-port|cert|pkey)=.*\n", "", text, flags=re.M)
    if (count, tls) != (1, 3):
        raise AssertionError("docs/deploy.md: the lines of coturn that this case replaces have changed")
    return f"{text}\nlistening-ip={RELAY}\nrelay-ip={RELAY}\nno-tls\nno-dtls\nno-cli\nlog-file=stdout\npidfile={folder}/coturn.pid\nuserdb={folder}/users\n", \
        re.search(r"^user=(.*):(.*)$", text, re.M).groups()


def relayed(bench, name):
    bench.need_network(filters=True)
    bench.need(shutil.which("turnserver"), "coturn")
    text, (user, password) = configuration(bench.current)
    (bench.current / "turnserver.conf").write_text(text)
    server = bench.keep(clients.Process("coturn", [*bench.network.prefix, "turnserver", "-c", bench.current / "turnserver.conf"], bench.current / "coturn.log"))
    relay = bench.relay(apart=True, extra=["--ice-servers", f"turn:{RELAY}:3478", "--ice-username", user, "--ice-credential", password])
    # Chromium cannot reach the media ports itself.
    bench.network.block_media(relay.webrtc_port)
    _, headers = relay.request("OPTIONS", "/whip/turn")
    link = LINK.search(headers["Link"] or "")
    bench.reporter.check(name, "the relay announces the server", link and link.groups() == (f"turn:{RELAY}:3478", user, password), link=headers["Link"])
    ice = {"iceTransportPolicy": "relay", "iceServers": [{"urls": link[1], "username": link[2], "credential": link[3]}]}
    publisher, subscriber = bench.client("chromium"), bench.client("chromium")
    call = publisher.call("publish", url=relay.whip("turn"), source=OWN, ice=ice)
    publisher.call("connected", id=call)
    view = subscriber.call("view", url=relay.whep("turn"), ice=ice)
    subscriber.call("connected", id=view)
    if not settled(bench, name, subscriber, view):
        return
    for who, client, number in (("publisher", publisher, call), ("subscriber", subscriber, view)):
        local, remote = selected(client, number)
        bench.reporter.check(name, f"the {who}'s media passes TURN", local["candidateType"] == "relay" and remote["port"] == relay.webrtc_port,
                             local=local["candidateType"], remote=f"{remote.get('address') or remote.get('ip')}:{remote['port']}")
    watch = Watch(subscriber, view)
    time.sleep(bench.seconds)
    watch.end()
    check_frames(bench, name, watch, OWN, rate=27)
    bench.reporter.check(name, "coturn runs", server.running)


def direct(bench, name):
    """Checks that the case above depends on TURN: without it nothing connects."""
    bench.need_network(filters=True)
    relay = bench.relay(apart=True)
    bench.network.block_media(relay.webrtc_port)
    publisher = bench.client("chromium")
    call = publisher.call("publish", url=relay.whip("turn"), source=OWN)
    time.sleep(3)
    bench.reporter.check(name, "nothing connects", "connected" not in str(publisher.call("state", id=call)["states"]))


ALL = [
    ("TURN: Chromium through coturn", relayed),
    ("TURN: without it, on the same network", direct),
]

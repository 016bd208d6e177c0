"""Clients of a relay for the commands of the documents: publishers, WebSockets, WebRTC requests.

    client.py publish URL PATH STREAM CLIP [SECONDS]    plain publisher; PATH: of the session's plain transports
    client.py report URL TOKEN SESSION                  joins, reports an issue and prints its id
    client.py message URL TOKEN USER                    sends a message to another user
    client.py offer                                     prints an offer of a WHEP subscriber
"""

import json
import os
import pathlib
import sys
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from hostile.websocket import WebSocket  # noqa: E402

OFFER = """v=0
o=- 1 1 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m=video 9 UDP/TLS/RTP/SAVPF 96
c=IN IP4 0.0.0.0
a=mid:0
a=recvonly
a=rtcp-mux
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 {}
a=setup:actpass
a=rtpmap:96 VP8/90000
""".format(":".join(["AB"] * 32))


def publish(url, path, stream, clip, seconds=None):
    # Numbers that differ between streams, so that streams of one session have different SSRCs.
    ssrc = 1000 + 2 * sum(stream.encode())
    body = {"direction": "publish", "stream": stream, "audio": {"payloadType": 111, "ssrc": ssrc}, "video": {"payloadType": 96, "ssrc": ssrc + 1}}
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("MILLRACE_ADMIN_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    with urllib.request.urlopen(urllib.request.Request(url + path, json.dumps(body).encode(), headers)) as response:
        answer = json.load(response)
    # Before an input, -t limits that input; after it, an output.
    command = ["ffmpeg", "-nostdin", "-v", "error", "-re", "-stream_loop", "-1", *(["-t", seconds] if seconds else []), "-i", clip]
    for kind in ("video", "audio"):
        track = answer[kind]
        command += ["-map", f"0:{kind[0]}", "-c", "copy", "-f", "rtp", "-payload_type", str(track["payloadType"]), "-ssrc", str(track["ssrc"]),
                    "-srtp_out_suite", answer["suite"], "-srtp_out_params", answer["clientKey"],
                    f"srtp://127.0.0.1:{track['port']}?rtcpport={track['rtcpPort']}&pkt_size=1200"]
    os.execvp("ffmpeg", command)


def ask(url, *requests):
    """Sends requests over one WebSocket, each after the answer to the one before; returns the last result."""
    socket = WebSocket(urllib.parse.urlparse(url).port)
    for number, (method, parameters) in enumerate(requests, 1):
        socket.text(json.dumps({"id": number, "method": method, "params": parameters}))
        answer = None
        while answer is None:
            answer = next((message for text in socket.messages(10) if (message := json.loads(text)).get("id") == number), None)
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']}")
    socket.close()
    return answer["result"]


def report(url, token, session):
    print(ask(url, ("join", {"version": 1, "token": token, "session": session, "name": "Ada"}), ("reportIssue", {"note": "a test"}))["issue"])


def message(url, token, user):
    ask(url, ("login", {"version": 1, "token": token, "name": "Ada"}), ("sendMessage", {"conversation": {"type": 0, "id": user}, "message": "m1", "text": "Hello"}))


def offer():
    print(OFFER.replace("\n", "\r\n"), end="")


if __name__ == "__main__":
    {"publish": publish, "report": report, "message": message, "offer": offer}[sys.argv[1]](*sys.argv[2:])

"""The list of cases."""

from webrtc import (
    apps, clustered, codecs, conversations, drift, encryptedmemory, encryptedpairs, encryption, lasting, layers, livecontrols, livepaths, livepush, livestream,
    load, loadreport, lossy, operatorview, pagefeatures, pairs, programme, rooms, sdk, signalling, slow, strictwhip, talk, trouble, turn, workers, yardstick)

PAIRS = [
    ("aiortc to aiortc", pairs.pair("aiortc", "aiortc", every=True)),
    ("aiortc to three of aiortc", pairs.pair("aiortc", "aiortc", count=3, every=True, publishing={"width": 480, "height": 270})),
    ("Chromium to Chromium", pairs.pair("chromium", "chromium")),
    ("Firefox to Firefox", pairs.pair("firefox", "firefox", rate=27)),
    ("aiortc to Chromium", pairs.pair("aiortc", "chromium")),
    ("Chromium to aiortc", pairs.pair("chromium", "aiortc")),
    ("Chromium to Firefox", pairs.pair("chromium", "firefox", rate=27)),
    ("Firefox to Chromium", pairs.pair("firefox", "chromium", rate=27)),
    ("plain ffmpeg to Chromium", pairs.file_publisher(pairs.from_ffmpeg, "chromium")),
    ("whip-client to aiortc", pairs.file_publisher(pairs.from_whip_client, "aiortc", apart=True)),
    ("late joiners, Chromium", pairs.late_joiners("chromium", "chromium")),
    ("late joiners, aiortc", pairs.late_joiners("aiortc", "aiortc")),
    ("DELETE", pairs.deleted),
]
LONG = [
    ("aiortc to aiortc, one transport", pairs.pair("aiortc", "aiortc", every=True, publishing={"bundle": True}, viewing={"bundle": True})),
    ("Firefox to aiortc", pairs.pair("firefox", "aiortc", rate=27)),
    ("aiortc to Firefox", pairs.pair("aiortc", "firefox", rate=27)),
]


def cases(long, janus):
    """Returns (name, case) for each case of the run."""
    parts = (codecs, sdk, rooms, pagefeatures, encryption, encryptedpairs, encryptedmemory, apps, talk, conversations, operatorview, loadreport,
             signalling, layers, livestream, livepush, livepaths, livecontrols, strictwhip, programme, drift, workers, trouble, lossy, turn, slow, load, lasting,
             clustered)
    wanted = PAIRS + [case for part in parts for case in part.ALL]
    if long:
        wanted += LONG + [case for part in parts for case in getattr(part, "LONG", [])]
    return wanted + (yardstick.ALL if janus else [])


# Deliberate faults that a relay built for tests has (MILLRACE_FAULT), and the cases that must detect each.
FAULTS = {
    "drop-video": ["aiortc to aiortc", "Chromium to Chromium", "Firefox to Firefox", "whip-client to aiortc"],
    "drop-audio": ["aiortc to aiortc", "Chromium to Chromium", "Firefox to Firefox", "plain ffmpeg to Chromium"],
    "swap-audio": ["aiortc to aiortc", "Chromium to Chromium", "whip-client to aiortc"],
    "cross-session": ["aiortc to aiortc", "Chromium to Firefox", "Firefox to Chromium", "plain ffmpeg to Chromium"],
    "stall": ["aiortc to aiortc", "Chromium to Chromium", "Firefox to Firefox"],
    "freeze": ["aiortc to Chromium", "Chromium to aiortc", "aiortc to three of aiortc"],
    "no-retransmit": ["datagrams to the subscriber lost, 10 %"],
    "no-keyframe": ["late joiners, Chromium", "late joiners, aiortc"],
    "deaf-to-moves": ["address change, Chromium"],
}

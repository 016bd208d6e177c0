"""Rules of RFC 9725 for the offer of a WHIP client."""

import re

# RFC 8839 section 5.4: characters and least lengths of ICE credentials.
UFRAG, PASSWORD = re.compile(r"[A-Za-z0-9+/]{4,256}"), re.compile(r"[A-Za-z0-9+/]{22,256}")
FINGERPRINT = re.compile(r"sha-256 [0-9A-F]{2}(:[0-9A-F]{2}){31}")
MEDIA = re.compile(r"(audio|video) (\d+) UDP/TLS/RTP/SAVPF( \d+)+")


class Section:
    def __init__(self, head, lines):
        self.head, self.lines = head, lines

    def values(self, name):
        """Returns the values of an attribute; "" for one without a value."""
        return [line.partition(":")[2] for line in self.lines if line == f"a={name}" or line.startswith(f"a={name}:")]


def parsed(offer):
    """Returns the section of the session and the sections of media; None if the text is no session description."""
    if not offer.endswith("\r\n") or "\n" in offer.replace("\r\n", "") or "\r" in offer.replace("\r\n", ""):
        return None
    lines = offer.removesuffix("\r\n").split("\r\n")
    if not all(re.fullmatch(r"[a-z]=.+", line) for line in lines):
        return None
    sections = [Section("", [])]
    for line in lines:
        if line.startswith("m="):
            sections.append(Section(line[2:], []))
        else:
            sections[-1].lines.append(line)
    session, media = sections[0], sections[1:]
    # RFC 8866 section 5: the order of the lines that each description has.
    if [line[:2] for line in session.lines if line[:2] != "a="] != ["v=", "o=", "s=", "t="] or session.lines[0] != "v=0" or not media:
        return None
    return session, media


def faults(offer):
    """Returns what the RFC does not allow in an offer."""
    description = parsed(offer)
    if description is None:
        return ["the body is no session description"]
    session, media = description
    found = []

    def need(condition, text):
        if not condition:
            found.append(text)

    mids = [section.values("mid") for section in media]
    need(all(len(values) == 1 for values in mids) and len({tuple(values) for values in mids}) == len(media), "each section has one mid of its own")
    groups = [value.split() for value in session.values("group") if value.startswith("BUNDLE")]
    need(len(groups) == 1 and groups[0][1:] == [mid for values in mids for mid in values], "one BUNDLE group has all sections (section 4.4.1)")
    streams = [value.split()[0] for section in media for value in section.values("msid")]
    need(len(streams) == len(media) and len(set(streams)) == 1, "all sections have a msid of one MediaStream (section 4.4.2)")
    kinds = [section.head.split()[0] for section in media]
    need(len(set(kinds)) == len(kinds), "there is one track of each kind (section 4.4.2)")
    transports = set()
    for section, kind in zip(media, kinds):
        head = MEDIA.fullmatch(section.head)
        need(head, f"{kind}: the m-line is that of DTLS-SRTP with feedback")
        need(head is None or head[2] != "0" or section.values("bundle-only") == [""], f"{kind}: port 0 needs bundle-only (RFC 9143 section 7.2.1)")
        own = {name: section.values(name) or session.values(name) for name in ("ice-ufrag", "ice-pwd", "fingerprint", "setup")}
        need(len(own["ice-ufrag"]) == 1 and UFRAG.fullmatch(own["ice-ufrag"][0]), f"{kind}: there is one ice-ufrag of ICE characters")
        need(len(own["ice-pwd"]) == 1 and PASSWORD.fullmatch(own["ice-pwd"][0]), f"{kind}: there is one ice-pwd of at least 22 ICE characters")
        need(own["fingerprint"] and all(map(FINGERPRINT.fullmatch, own["fingerprint"])), f"{kind}: there is a fingerprint by SHA-256")
        need(own["setup"] == ["actpass"], f"{kind}: setup is actpass (section 4.4.4)")
        transports.add(tuple(tuple(values) for values in own.values()))
        directions = [name for name in ("sendonly", "sendrecv", "recvonly", "inactive") for _ in section.values(name)]
        need(directions == ["sendonly"], f"{kind}: the direction is sendonly (section 4.2)")
        need(section.values("rtcp-mux") == [""], f"{kind}: there is rtcp-mux (section 4.4.1)")
        need(section.values("rtcp-mux-only") == [""], f"{kind}: there is rtcp-mux-only (section 4.4.1)")
        named = {value.split()[0] for value in section.values("rtpmap")}
        need(head is None or set(section.head.split()[3:]) <= named, f"{kind}: each payload type has a rtpmap")
        need(not section.values("crypto"), f"{kind}: no keys are in the description (RFC 8827 section 6.5)")
    need(len(transports) == 1, "all sections have the ICE credentials and fingerprints of one transport")
    return found

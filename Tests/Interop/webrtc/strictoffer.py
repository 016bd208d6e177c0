"""Rules of RFC 9725 for the offer of a WHIP client, and for the fragments that change its ICE session."""

import ipaddress
import re

# RFC 8839 section 5.4: characters and least lengths of ICE credentials.
UFRAG, PASSWORD = re.compile(r"[A-Za-z0-9+/]{4,256}"), re.compile(r"[A-Za-z0-9+/]{22,256}")
FINGERPRINT = re.compile(r"sha-256 [0-9A-F]{2}(:[0-9A-F]{2}){31}")
MEDIA = re.compile(r"(audio|video) (\d+) UDP/TLS/RTP/SAVPF( \d+)+")
CANDIDATE = re.compile(r"([A-Za-z0-9+/]{1,32}) 1 (udp|tcp) (\d{1,10}) (\S+) (\d{1,5}) typ host( tcptype \w+)?")


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


class Fragment:
    """Content of application/trickle-ice-sdpfrag (RFC 8840 section 9), with what the RFC does not allow for a client with this offer."""

    def __init__(self, text, offer):
        self.faults, self.user, self.password, self.candidates = [], "", "", []
        sections = split(text)
        if sections is None:
            self.faults.append("the body is no fragment of a session description")
            return
        session, media = sections
        offered, sections = parsed(offer)
        head = sections[0]

        def need(condition, reason):
            if not condition:
                self.faults.append(reason)

        need(len(media) == 1 and media[0].head.split()[0] == head.head.split()[0] and media[0].values("mid") == head.values("mid"),
             "the only section is the first one of the bundle (section 4.3.2)")
        need(session.values("group") == offered.values("group"), "the group is that of the offer")

        def once(name):
            values = [value for section in (session, *media) for value in section.values(name)]
            need(len(values) == 1, f"there is one {name}")
            return values[0] if values else ""

        need(once("ice-options") == (offered.values("ice-options") + head.values("ice-options"))[0], "ice-options are those of the offer (section 4.3.3)")
        self.user, self.password = once("ice-ufrag"), once("ice-pwd")
        need(UFRAG.fullmatch(self.user) and PASSWORD.fullmatch(self.password), "the credentials have ICE characters")
        self.candidates = [value for section in media for value in section.values("candidate")]
        found = [CANDIDATE.fullmatch(value) for value in self.candidates]
        need(all(found), "each candidate is one of the host")
        need(not session.values("candidate"), "candidates belong to a section")
        need(not any(one and ipaddress.ip_address(one[4]).is_loopback for one in found), "no candidate is a loopback address (RFC 8445 section 5.1.1.1)")
        need(len({one[3] for one in found if one}) == len(found), "priorities differ (RFC 8445 section 5.1.2)")
        need([value for section in media for value in section.values("end-of-candidates")] == [""], "the candidates end")


def split(text):
    """Returns the section of the session and the sections of media of a fragment; None if it has other lines."""
    if not text.endswith("\r\n") or "\n" in text.replace("\r\n", "") or "\r" in text.replace("\r\n", ""):
        return None
    sections = [Section("", [])]
    for line in text.removesuffix("\r\n").split("\r\n"):
        if line.startswith("m="):
            if not re.fullmatch(r"(audio|video) 9 UDP/TLS/RTP/SAVPF \d+( \d+)*", line[2:]):
                return None
            sections.append(Section(line[2:], []))
        elif re.fullmatch(r"a=[a-z-]+(:.+)?", line):
            sections[-1].lines.append(line)
        else:
            return None
    return sections[0], sections[1:]

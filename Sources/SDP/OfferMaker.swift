package import MediaBase
import RTP

/// Maker of the offers of a client of any relay with WHIP and WHEP.
package struct OfferMaker: Sendable {
    package var credentials: ICECredentials
    package var fingerprint: CertificateFingerprint
    package var setup: PeerDescription.Setup
    /// Keys of a native transport, instead of fingerprint and setup.
    package var cryptos: [CryptoAttribute] = []
    package var candidates: [ICECandidate]
    package var cname: String
    package var streamID: String
    /// Values of `a=ice-options` in all offers.
    package static let iceOptions = ["trickle", "ice2"]

    package init(
        credentials: ICECredentials, fingerprint: CertificateFingerprint, setup: PeerDescription.Setup = .actpass,
        candidates: [ICECandidate] = [], cname: String = "millrace", streamID: String = "millrace"
    ) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        self.setup = setup
        self.candidates = candidates
        self.cname = cname
        self.streamID = streamID
    }

    /// Returns an offer to send these tracks: encodings with rids as simulcast, encodings with SSRCs as sources.
    /// - Parameters:
    ///   - stopped: sections that no longer send; they keep their positions.
    ///   - version: incremented with each offer of a connection (RFC 8866 section 5.2).
    package func publish(_ tracks: [TrackDescription], stopped: Set<MID> = [], version: Int = 1) -> SessionDescription {
        offer(tracks, .sendonly, stopped: stopped, version: version)
    }

    /// Returns an offer to receive one stream, its tracks with these payload types and ids.
    package func view(_ tracks: [TrackDescription]) -> SessionDescription { offer(tracks, .recvonly) }

    private func offer(
        _ tracks: [TrackDescription], _ direction: MediaDirection, stopped: Set<MID> = [], version: Int = 1
    ) -> SessionDescription {
        var number: UInt64 = 0x5be0_cd19
        for byte in credentials.ufrag.utf8 { number = (number &* 31 &+ UInt64(byte)) & (1 << 62 - 1) }
        let lines = [
            SDPLine("v", "0"), SDPLine("o", "- \(number) \(version) IN IP4 0.0.0.0"), SDPLine("s", "-"),
            SDPLine("t", "0 0"),
            SDPLine(attribute: "group", "BUNDLE " + tracks.map(\.mid.rawValue).joined(separator: " ")),
            SDPLine(attribute: "extmap-allow-mixed"), SDPLine(attribute: "msid-semantic", "WMS *"),
        ]
        let media = tracks.enumerated().map { index, track in
            section(
                track, stopped.contains(track.mid) ? .inactive : direction, candidates: index == 0 ? candidates : [])
        }
        return SessionDescription(lines: lines, media: media)
    }

    private func section(_ track: TrackDescription, _ direction: MediaDirection, candidates: [ICECandidate])
        -> MediaSection
    {
        let msid = "\(streamID.asIdentifier) \("\(track.mid)-\(streamID)".asIdentifier)"
        var lines = [SDPLine("c", "IN IP4 0.0.0.0")]
        lines += candidates.map { SDPLine(attribute: "candidate", $0.description) }
        if !candidates.isEmpty { lines.append(SDPLine(attribute: "end-of-candidates")) }
        lines += [
            SDPLine(attribute: "ice-ufrag", credentials.ufrag), SDPLine(attribute: "ice-pwd", credentials.password),
            SDPLine(attribute: "ice-options", Self.iceOptions.joined(separator: " ")),
        ]
        lines += own.keying
        lines.append(SDPLine(attribute: "mid", track.mid.rawValue))
        lines += SDPLine.extensions(track.extensions)
        lines.append(SDPLine(attribute: direction.rawValue))
        if direction.sends { lines.append(SDPLine(attribute: "msid", msid)) }
        // A WHIP client has to offer rtcp-mux-only (RFC 9725 section 4.4.1, RFC 8858).
        lines += ["rtcp-mux", "rtcp-mux-only", "rtcp-rsize"].map { SDPLine(attribute: $0) }
        lines += SDPLine.codec(track, sends: direction.sends)
        if direction.sends { lines += encodingLines(track, msid: msid) }
        return MediaSection(
            media: track.kind.rawValue, port: 9, proto: own.proto,
            formats: track.formats, lines: lines)
    }

    private var own: RelayDescription {
        RelayDescription(
            credentials: credentials, fingerprint: fingerprint, cryptos: cryptos, setup: setup, candidates: candidates,
            isLite: false)
    }

    private func encodingLines(_ track: TrackDescription, msid: String) -> [SDPLine] {
        let rids = track.encodings.compactMap(\.rid)
        var lines = rids.map { SDPLine(attribute: "rid", "\($0) send") }
        if rids.count > 1 {
            lines.append(SDPLine(attribute: "simulcast", "send " + rids.map(\.rawValue).joined(separator: ";")))
        }
        guard rids.isEmpty else { return lines }
        let sources = track.encodings.compactMap(\.ssrc)
        if sources.count > 1 {
            lines.append(
                SDPLine(attribute: "ssrc-group", "SIM " + sources.map(\.description).joined(separator: " ")))
        }
        for encoding in track.encodings {
            guard let ssrc = encoding.ssrc else { continue }
            lines += SDPLine.sources(
                ssrc, rtx: track.retransmits ? encoding.rtxSSRC : nil, cname: cname, msid: msid)
        }
        return lines
    }
}

extension TrackDescription {
    /// Returns a track with the numbers of this side's offers: mid 0 and payload type 111 for audio, mid 1 and the payload types of
    /// `CodecDescription.offered` for video (VP8: 96, and 97 for retransmissions), and all supported header extensions and RTCP
    /// messages.
    /// - Parameters:
    ///   - codecs: video codecs in the order of preference, at least one.
    ///   - encodings: encodings that a client sends; empty for a track that it receives.
    package static func offered(
        _ kind: MediaKind, codecs: [VideoCodec] = [.vp8], retransmits: Bool = true, encodings: [Encoding] = []
    ) -> TrackDescription {
        var extensions = RTPExtensionMap()
        for extensionKind in RTPExtensionKind.allCases
        where extensionKind.isUsed(video: kind == .video, sending: encodings.isEmpty) {
            // This side's encoders make no layers that the payload does not state.
            if extensionKind == .dependencyDescriptor, !encodings.isEmpty { continue }
            extensions[extensionKind] = extensionKind.rawValue + 1
        }
        switch kind {
        case .audio:
            return TrackDescription(
                mid: MID(number: 0), codecs: [.offeredOpus], extensions: extensions, encodings: encodings)
        case .video:
            return TrackDescription(
                mid: MID(number: 1), codecs: codecs.map { .offered($0, retransmits: retransmits) },
                extensions: extensions, encodings: encodings)
        }
    }
}

extension MID {
    /// - Precondition: `number` is 0 or more.
    init(number: Int) {
        guard let mid = MID(String(number)) else { preconditionFailure("a number is a token") }
        self = mid
    }
}

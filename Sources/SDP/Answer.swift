import MediaBase
import RTP

/// A relay's answer to an offer that this side made.
package struct Answer: Sendable {
    /// A section that the relay accepted.
    package struct Track: Sendable, Hashable {
        /// Direction in which the relay sends.
        package var direction: MediaDirection
        /// Track with payload types and ids of the answer. Its encodings are those that the relay sends, or those that it accepts
        /// of the offer; one entry without rid and SSRC if the answer does not name any.
        package var track: TrackDescription
    }

    package let description: SessionDescription
    package let peer: PeerDescription
    package let candidates: [ICECandidate]
    /// In the order of the offer, without rejected and inactive sections.
    package let tracks: [Track]

    /// - Parameters:
    ///   - isFirst: true for the first answer of a connection; a later one may leave all sections without media.
    ///   - isNative: true if keys were offered, and the answer must contain one.
    /// - Throws: `SDPError` if the answer does not match the offer, or describes no transport.
    package init(
        _ description: SessionDescription, to offer: SessionDescription, isFirst: Bool = true, isNative: Bool = false
    ) throws(SDPError) {
        try description.checkIdentifications()
        guard description.media.count == offer.media.count else {
            throw .malformed(line: description.media.last?.number ?? 1, field: "m=")
        }
        var head: MediaSection?
        var tracks: [Track] = []
        let defaultDirection = description.defaultDirection
        for (section, offered) in zip(description.media, offer.media) {
            guard section.media == offered.media else { throw .malformed(line: section.number, field: "m=") }
            let direction = section.lines.direction ?? defaultDirection
            if !isFirst, !section.isRejected { head = head ?? section }
            guard section.port != 0, direction != .inactive else { continue }
            let codecs = section.codecs(answering: offered)
            guard let codec = codecs.first else { continue }
            guard let mid = MID(section.mid ?? offered.mid ?? "") else { throw section.missing("a=mid") }
            var extensions = RTPExtensionMap()
            for line in description.headerExtensions(of: section) { extensions[line.kind] = line.id }
            let rids = section.rids(.recvonly, for: codec.payloadType)
            tracks.append(
                Track(
                    direction: direction,
                    track: TrackDescription(
                        mid: mid, codecs: codecs, extensions: extensions,
                        encodings: rids.isEmpty
                            ? section.encodings(for: codec.payloadType, carriesRIDs: extensions[.rid] != nil)
                            : rids.map { .init(rid: $0) })))
            head = head ?? section
        }
        guard let head else { throw .noTrack(needed: .sendrecv) }
        self.description = description
        self.tracks = tracks
        peer = try description.peer(of: head, takesKeys: isNative)
        guard peer.isNative == isNative else { throw head.missing("a=crypto") }
        guard isNative || peer.setup != .actpass else { throw .malformed(line: head.number, field: "a=setup") }
        candidates = description.candidates(of: head)
    }

    package init(
        parsing bytes: some Collection<UInt8>, to offer: SessionDescription, isFirst: Bool = true,
        isNative: Bool = false
    ) throws(SDPError) {
        try self.init(SessionDescription(parsing: bytes), to: offer, isFirst: isFirst, isNative: isNative)
    }
}

extension MediaSection {
    /// Returns the codecs of an answered section that its offer has under the same payload types. Retransmissions and redundant audio under
    /// another payload type than the offered one are left out.
    fileprivate func codecs(answering offer: MediaSection) -> [CodecDescription] {
        let offered = offer.usableCodecs(VideoCodec.allCases)
        return usableCodecs(VideoCodec.allCases).compactMap { codec in
            guard let own = offered.first(where: { $0.isAnswered(by: codec) }) else { return nil }
            var codec = codec
            if codec.rtxPayloadType != own.rtxPayloadType { codec.rtxPayloadType = nil }
            return codec.redPayloadType == own.redPayloadType ? codec : codec.withoutRED
        }
    }
}

import MediaBase
import RTP

extension Offer {
    /// Returns the tracks that a publisher offers to send: the first section of each kind with Opus or VP8.
    package func receivable() throws(SDPError) -> [TrackDescription] { try tracks(sending: false) }

    /// Returns the tracks that a subscriber can receive: the first section of each kind that accepts Opus or VP8.
    package func sendable() throws(SDPError) -> [TrackDescription] { try tracks(sending: true) }

    /// Returns a track for every section that sends Opus or VP8: offers on a participant's publish peer connection, and the relay's
    /// offers.
    package func publishable() throws(SDPError) -> [TrackDescription] { try tracks(sending: false, all: true) }

    /// - Parameter all: true for every section, false for the first of each kind.
    private func tracks(sending: Bool, all: Bool = false) throws(SDPError) -> [TrackDescription] {
        var tracks: [TrackDescription] = []
        var meanings: [PayloadType: Meaning] = [:]
        var extensionKinds: [UInt8: RTPExtensionKind] = [:]
        let defaultDirection = description.defaultDirection
        for section in description.media where !section.isRejected {
            let direction = section.lines.direction ?? defaultDirection
            guard sending ? direction.receives : direction.sends, let kind = section.kind,
                all || !tracks.contains(where: { $0.kind == kind }), let (codec, rtx) = section.preferredCodec
            else { continue }
            guard let line = section.lines.attribute("mid") else { throw section.missing("a=mid") }
            guard let mid = MID(line.value ?? "") else { throw line.error }
            guard bundle.contains(mid.rawValue) else { throw .notBundled(line: section.number) }
            guard section.lines.has("rtcp-mux") || description.bundleHead(of: section)?.lines.has("rtcp-mux") == true
            else { throw section.missing("a=rtcp-mux") }
            try note(codec.payloadType, Meaning(kind: kind, repairs: nil), of: section, in: &meanings)
            if let rtx { try note(rtx, Meaning(kind: kind, repairs: codec.payloadType), of: section, in: &meanings) }
            let extensions = extensions(of: section, sending: sending, besides: &extensionKinds)
            var feedback = codec.feedback
            // Transport-wide feedback needs transport-wide sequence numbers.
            if extensions[.transportWideCC] == nil { feedback.remove(.transportCC) }
            tracks.append(
                TrackDescription(
                    mid: mid, kind: kind, payloadType: codec.payloadType, rtxPayloadType: rtx, extensions: extensions,
                    feedback: feedback,
                    encodings: sending
                        ? [] : section.encodings(for: codec.payloadType, carriesRIDs: extensions[.rid] != nil)))
        }
        guard all || !tracks.isEmpty else { throw .noTrack(needed: sending ? .recvonly : .sendonly) }
        return tracks
    }

    private func note(
        _ payloadType: PayloadType, _ meaning: Meaning, of section: MediaSection,
        in meanings: inout [PayloadType: Meaning]
    ) throws(SDPError) {
        guard meanings.updateValue(meaning, forKey: payloadType) ?? meaning == meaning else {
            throw .sharedPayloadType(line: section.number, payloadType: payloadType.rawValue)
        }
    }

    /// Meaning of a payload type, which must be the same in all sections of a bundle (RFC 9143 section 9.1).
    private struct Meaning: Equatable {
        let kind: MediaKind
        let repairs: PayloadType?
    }

    /// Returns the extensions of a section, without ids that have another meaning in another section of the bundle (forbidden by
    /// RFC 9143 section 9.1).
    private func extensions(
        of section: MediaSection, sending: Bool, besides others: inout [UInt8: RTPExtensionKind]
    ) -> RTPExtensionMap {
        var map = RTPExtensionMap()
        for line in description.headerExtensions(of: section) {
            let direction = line.direction ?? .sendrecv
            guard sending ? direction.receives : direction.sends,
                line.kind.isUsed(video: section.kind == .video, sending: sending),
                others[line.id] ?? line.kind == line.kind
            else { continue }
            others[line.id] = line.kind
            map[line.kind] = line.id
        }
        return map
    }
}

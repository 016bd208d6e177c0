internal import MediaBase
internal import RTP

extension Offer {
    /// What a publisher offers to send: the first section of each kind with Opus or VP8.
    package func receivable() throws(SDPError) -> [TrackDescription] { try tracks(sending: false) }

    /// What a viewer is ready to receive: the first section of each kind that takes Opus or VP8.
    package func sendable() throws(SDPError) -> [TrackDescription] { try tracks(sending: true) }

    private func tracks(sending: Bool) throws(SDPError) -> [TrackDescription] {
        var tracks: [TrackDescription] = []
        var payloadTypes: Set<PayloadType> = []
        let defaultDirection = description.defaultDirection
        for section in description.media where !section.isRejected {
            let direction = section.lines.direction ?? defaultDirection
            guard sending ? direction.receives : direction.sends, let kind = section.kind,
                !tracks.contains(where: { $0.kind == kind }), let (codec, rtx) = section.preferredCodec
            else { continue }
            guard let line = section.lines.attribute("mid") else { throw section.missing("a=mid") }
            guard let mid = MID(line.value ?? "") else { throw line.error }
            guard bundle.contains(mid.rawValue) else { throw .notBundled(line: section.number) }
            guard section.lines.has("rtcp-mux") || description.bundleHead(of: section)?.lines.has("rtcp-mux") == true
            else { throw section.missing("a=rtcp-mux") }
            for payloadType in [codec.payloadType, rtx].compactMap({ $0 }) {
                guard payloadTypes.insert(payloadType).inserted else {
                    throw .sharedPayloadType(line: section.number, payloadType: payloadType.rawValue)
                }
            }
            let extensions = extensions(of: section, sending: sending, besides: tracks.map(\.extensions))
            var feedback = codec.feedback
            // Feedback by transport-wide numbers needs the numbers.
            if extensions[.transportWideCC] == nil { feedback.remove(.transportCC) }
            tracks.append(
                TrackDescription(
                    mid: mid, kind: kind, payloadType: codec.payloadType, rtxPayloadType: rtx, extensions: extensions,
                    feedback: feedback, encodings: sending ? [] : section.encodings(for: codec.payloadType)))
        }
        guard !tracks.isEmpty else { throw .noTrack(needed: sending ? .recvonly : .sendonly) }
        return tracks
    }

    /// A number that means something else in another section of the bundle is left out (RFC 9143 section 9.1 forbids it).
    private func extensions(of section: MediaSection, sending: Bool, besides others: [RTPExtensionMap])
        -> RTPExtensionMap
    {
        var map = RTPExtensionMap()
        for line in description.headerExtensions(of: section) {
            let direction = line.direction ?? .sendrecv
            guard sending ? direction.receives : direction.sends,
                line.kind.isUsed(video: section.kind == .video, sending: sending),
                others.allSatisfy({ ($0.kind(of: line.id) ?? line.kind) == line.kind })
            else { continue }
            map[line.kind] = line.id
        }
        return map
    }
}

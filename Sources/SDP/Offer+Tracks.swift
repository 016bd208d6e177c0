package import MediaBase
import RTP

extension Offer {
    /// Returns the tracks that a publisher offers to send: the first section of each kind with Opus or an allowed video codec. Each
    /// track has one codec, the first allowed one in the publisher's order.
    package func receivable(_ allowed: [VideoCodec] = VideoCodec.allCases) throws(SDPError) -> [TrackDescription] {
        try tracks(sending: false, allowed, .preferred)
    }

    /// Returns the tracks that a subscriber can receive: the first section of each kind that accepts Opus or an allowed video codec.
    /// - Parameters:
    ///   - allowed: video codecs in the order in which the answer lists those that the subscriber accepts.
    ///   - stream: codec of the stream's video, the only one that the answer then lists; nil if the stream's codec is not known yet, or
    ///     if it has no video.
    ///   - allowsAudioAlone: true to leave out a video section that does not accept the stream's codec.
    /// - Throws: `codecMismatch` if the offer has a video section, but none that accepts the stream's codec.
    package func sendable(
        _ allowed: [VideoCodec] = VideoCodec.allCases, stream: VideoCodec? = nil, allowsAudioAlone: Bool = false
    ) throws(SDPError) -> [TrackDescription] {
        guard let stream else { return try tracks(sending: true, allowed, .ordered) }
        if !allowsAudioAlone {
            let sections = description.media.filter { section in
                section.kind == .video && !section.isRejected && description.direction(of: section).receives
            }
            let offered = sections.flatMap { $0.usableCodecs(VideoCodec.allCases).compactMap(\.video) }
            guard sections.isEmpty || offered.contains(stream) else {
                throw .codecMismatch(offered: VideoCodec.allCases.filter(offered.contains), stream: stream)
            }
        }
        return try tracks(sending: true, [stream], .ordered)
    }

    /// Returns a track for every section that sends Opus or an allowed video codec, with its codec as in `receivable`: offers on a
    /// participant's publish peer connection.
    package func publishable(_ allowed: [VideoCodec] = VideoCodec.allCases) throws(SDPError) -> [TrackDescription] {
        try tracks(sending: false, allowed, .preferred, all: true)
    }

    /// Returns a track for every section in which the relay offers to send Opus or an allowed video codec. A track has all allowed codecs
    /// of its section.
    package func subscribable(_ allowed: [VideoCodec]) throws(SDPError) -> [TrackDescription] {
        try tracks(sending: false, allowed, .offered, all: true)
    }

    /// Video codecs that a track keeps of its section.
    private enum Selection {
        /// The first allowed one in the order of the offer.
        case preferred
        /// All allowed ones in the order of the offer.
        case offered
        /// One entry of each allowed codec, in the order of the allowed list.
        case ordered
    }

    /// - Parameter all: true for every section, false for the first of each kind.
    private func tracks(
        sending: Bool, _ allowed: [VideoCodec], _ selection: Selection, all: Bool = false
    ) throws(SDPError) -> [TrackDescription] {
        var tracks: [TrackDescription] = []
        var meanings: [PayloadType: Meaning] = [:]
        var extensionKinds: [UInt8: RTPExtensionKind] = [:]
        let defaultDirection = description.defaultDirection
        for section in description.media where !section.isRejected {
            let direction = section.lines.direction ?? defaultDirection
            guard sending ? direction.receives : direction.sends, let kind = section.kind,
                all || !tracks.contains(where: { $0.kind == kind })
            else { continue }
            let usable = section.usableCodecs(allowed)
            guard let preferred = usable.first else { continue }
            let codecs =
                switch selection {
                case _ where kind == .audio: [preferred]
                case .preferred: [preferred]
                case .offered: usable
                case .ordered: allowed.compactMap { video in usable.first { $0.video == video } }
                }
            guard let line = section.lines.attribute("mid") else { throw section.missing("a=mid") }
            guard let mid = MID(line.value ?? "") else { throw line.error }
            guard bundle.contains(mid.rawValue) else { throw .notBundled(line: section.number) }
            guard section.lines.has("rtcp-mux") || description.bundleHead(of: section)?.lines.has("rtcp-mux") == true
            else { throw section.missing("a=rtcp-mux") }
            for codec in codecs {
                try note(
                    codec.payloadType, Meaning(kind: kind, video: codec.video, repairs: nil, isRED: false), of: section,
                    in: &meanings
                )
                for other in codec.payloadTypes where other != codec.payloadType {
                    let meaning = Meaning(
                        kind: kind, video: nil, repairs: codec.payloadType, isRED: other == codec.redPayloadType)
                    try note(other, meaning, of: section, in: &meanings)
                }
            }
            let extensions = extensions(of: section, sending: sending, besides: &extensionKinds)
            tracks.append(
                TrackDescription(
                    mid: mid, codecs: codecs, extensions: extensions,
                    encodings: sending
                        ? [] : section.encodings(for: preferred.payloadType, carriesRIDs: extensions[.rid] != nil)))
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
        let video: VideoCodec?
        /// Codec whose packets are repeated.
        let repairs: PayloadType?
        let isRED: Bool
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

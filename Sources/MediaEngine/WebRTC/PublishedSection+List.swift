import MediaBase
import SDP

/// Sections of one publish peer connection.
extension [PublishedSection] {
    /// Maximum number of media sections of one peer connection.
    private static var maximumSections: Int { SessionDescription.maximumSections }

    /// Names of the streams, each once, in the order of the sections.
    var streams: [String] {
        var seen: Set<String> = []
        return map(\.stream).filter { seen.insert($0).inserted }
    }

    /// Returns the kinds of a stream that start muted.
    func mutedKinds(of stream: String) -> Set<MediaKind> {
        Set(filter { $0.stream == stream && $0.startsMuted }.map(\.track.kind))
    }

    /// Checks that the sections differ, and that each video codec is among the accepted ones.
    func check(_ accepted: [VideoCodec]) throws(EngineError) {
        guard count <= Self.maximumSections else {
            throw .limitReached(name: "sections", limit: Self.maximumSections)
        }
        var mids: Set<MID> = []
        var tracks: Set<[String]> = []
        for section in self {
            if let codec = section.track.videoCodec, !accepted.contains(codec) {
                throw .invalidRequest(field: "sdp", reason: "the relay does not forward \(codec.rawValue)")
            }
            guard mids.insert(section.track.mid).inserted else {
                throw .invalidRequest(field: "sdp", reason: "two tracks in media section \"\(section.track.mid)\"")
            }
            guard tracks.insert([section.stream, section.track.kind.rawValue]).inserted else {
                throw .invalidRequest(
                    field: "streams", reason: "\"\(section.stream)\" has more than one \(section.track.kind.rawValue)")
            }
        }
    }
}

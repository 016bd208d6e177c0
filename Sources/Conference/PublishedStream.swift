internal import Signaling

/// A stream from its plan to its end.
struct PublishedStream: Sendable {
    enum Phase: Sendable {
        /// A plan names it that is not confirmed.
        case planned
        /// The media plane has it; no media came yet.
        case negotiated
        /// Everybody knows it.
        case announced
    }

    let id: StreamID
    let owner: ConnectionID
    var phase = Phase.planned
    var name: String
    let videoType: VideoType
    var hasAudioTrack: Bool
    var hasVideoTrack: Bool
    var isAudioMuted = false
    var isVideoMuted = false
    var width: Int
    var height: Int
    var createdAt: Int64 = 0
    var subscribers: Set<ConnectionID> = []

    func has(_ kind: TrackKind) -> Bool { kind == .audio ? hasAudioTrack : hasVideoTrack }

    func isMuted(_ kind: TrackKind) -> Bool { kind == .audio ? isAudioMuted : isVideoMuted }

    mutating func setMuted(_ kind: TrackKind, _ isMuted: Bool) {
        switch kind {
        case .audio: isAudioMuted = isMuted
        case .video: isVideoMuted = isMuted
        }
    }

    func info(isDropped: Bool) -> StreamInfo {
        StreamInfo(
            id: id, connection: owner, name: name, videoType: videoType, hasAudio: hasAudioTrack && !isAudioMuted,
            hasVideo: hasVideoTrack && !isVideoMuted, isAudioMuted: hasAudioTrack && isAudioMuted,
            isVideoMuted: hasVideoTrack && isVideoMuted, width: width, height: height, isDropped: isDropped,
            createdAt: createdAt)
    }
}

import Signaling

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
    let isEncrypted: Bool
    var hasAudioTrack = false
    var hasVideoTrack = false
    var isAudioMuted = false
    var isVideoMuted = false
    var width: Int
    var height: Int
    var createdAt: Int64 = 0
    /// The clients were told that it is recorded.
    var isRecorded = false
    /// Forced mutes that its publisher is told of once it is announced.
    var untoldMutes: Set<TrackKind> = []
    var subscribers: Set<ConnectionID> = []

    func has(_ kind: TrackKind) -> Bool { kind == .audio ? hasAudioTrack : hasVideoTrack }

    func isMuted(_ kind: TrackKind) -> Bool { kind == .audio ? isAudioMuted : isVideoMuted }

    mutating func setMuted(_ kind: TrackKind, _ isMuted: Bool) {
        switch kind {
        case .audio: isAudioMuted = isMuted
        case .video: isVideoMuted = isMuted
        }
    }

    /// - Parameter isMuteForced: sound that begins now is muted (MUT-1).
    mutating func setTracks(hasAudio: Bool, hasVideo: Bool, isMuteForced: Bool) {
        if isMuteForced, hasAudio, !hasAudioTrack {
            isAudioMuted = true
            untoldMutes.insert(.audio)
        }
        hasAudioTrack = hasAudio
        hasVideoTrack = hasVideo
        // What is not there is not muted.
        if !hasAudio { isAudioMuted = false }
        if !hasVideo { isVideoMuted = false }
        untoldMutes = untoldMutes.filter { has($0) }
    }

    func info(isDropped: Bool) -> StreamInfo {
        StreamInfo(
            id: id, connection: owner, name: name, videoType: videoType, hasAudio: hasAudioTrack && !isAudioMuted,
            hasVideo: hasVideoTrack && !isVideoMuted, isAudioMuted: hasAudioTrack && isAudioMuted,
            isVideoMuted: hasVideoTrack && isVideoMuted, width: width, height: height, isDropped: isDropped,
            createdAt: createdAt, isEncrypted: isEncrypted)
    }
}

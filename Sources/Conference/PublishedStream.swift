import MediaBase
import Signaling

/// A stream from its plan to its end.
struct PublishedStream: Sendable {
    enum Phase: Sendable {
        /// Named by a plan that is not confirmed yet.
        case planned
        /// Known to the media plane, but no media has arrived.
        case negotiated
        /// Known to all clients.
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
    /// Video codec after negotiation; nil without video.
    var codec: VideoCodec?
    var width: Int
    var height: Int
    var createdAt: Int64 = 0
    /// Clients were notified that the stream is recorded.
    var isRecorded = false
    /// Forced mutes that the publisher is notified of after the announcement.
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

    /// - Parameter isMuteForced: mutes audio that starts now (MUT-1).
    mutating func setTracks(hasAudio: Bool, hasVideo: Bool, isMuteForced: Bool) {
        if isMuteForced, hasAudio, !hasAudioTrack {
            isAudioMuted = true
            untoldMutes.insert(.audio)
        }
        hasAudioTrack = hasAudio
        hasVideoTrack = hasVideo
        // A missing track is never muted.
        if !hasAudio { isAudioMuted = false }
        if !hasVideo { isVideoMuted = false }
        untoldMutes = untoldMutes.filter { has($0) }
    }

    /// State for another home relay; nil if the media plane does not have the stream yet.
    var saved: Seat.Stream? {
        guard phase != .planned else { return nil }
        return Seat.Stream(
            id: id, name: name, videoType: videoType, isEncrypted: isEncrypted, hasAudio: hasAudioTrack,
            hasVideo: hasVideoTrack, codec: codec, isAnnounced: phase == .announced, createdAt: createdAt)
    }

    func info(isDropped: Bool) -> StreamInfo {
        StreamInfo(
            id: id, connection: owner, name: name, videoType: videoType, hasAudio: hasAudioTrack && !isAudioMuted,
            hasVideo: hasVideoTrack && !isVideoMuted, isAudioMuted: hasAudioTrack && isAudioMuted,
            isVideoMuted: hasVideoTrack && isVideoMuted, width: width, height: height, isDropped: isDropped,
            createdAt: createdAt, isEncrypted: isEncrypted, codec: hasVideoTrack ? codec?.rawValue : nil)
    }
}

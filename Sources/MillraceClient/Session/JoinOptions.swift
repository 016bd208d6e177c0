import Signaling

/// Audio and video with which a client begins in a session: what it publishes and what it receives.
///
/// ```swift
/// var options = JoinOptions()
/// options.audio.isOn = false
/// options.video.maximumHeight = 360
/// try await session.connect(name: "Ada", options: options)
/// ```
public struct JoinOptions: Hashable, Sendable {
    public struct Audio: Hashable, Sendable {
        /// False: the audio of camera streams starts muted, until `Publisher.setMuted(.audio, false)`.
        public var isOn = true
        /// False: the relay sends no audio, whatever subscriptions ask for.
        public var isReceived = true
        /// True: publishers encode for music: stereo, Opus's mode for music, at least 128 kb/s, no pauses in silence. The client
        /// changes nothing in the audio that is pushed: it has neither echo cancellation nor noise suppression. Applications whose capture
        /// has them switch them off.
        public var isMusic = false

        public init() {}
    }

    public struct Video: Hashable, Sendable {
        /// False: the video of camera streams starts muted, until `Publisher.setMuted(.video, false)`.
        public var isOn = true
        /// False: the relay sends no video, whatever subscriptions ask for.
        public var isReceived = true
        /// Pixels, 1 to 16,383: the relay sends no encoding with more while a stream has one without. Nil: no bound. A stream with one
        /// encoding is sent as it is: the relay encodes nothing.
        public var maximumWidth: Int?
        public var maximumHeight: Int?

        public init() {}
    }

    public var audio = Audio()
    public var video = Video()

    public init() {}

    /// Nil for what every relay does without being told.
    var media: JoinMedia? {
        let media = JoinMedia(
            startsAudioMuted: !audio.isOn, startsVideoMuted: !video.isOn, receivesAudio: audio.isReceived,
            receivesVideo: video.isReceived, maximumWidth: video.maximumWidth, maximumHeight: video.maximumHeight)
        return media == JoinMedia() ? nil : media
    }

    /// Kinds of a publisher's media that start muted.
    func startsMuted(_ type: VideoType) -> [TrackKind] {
        guard type == .camera else { return [] }
        return (audio.isOn ? [] : [.audio]) + (video.isOn ? [] : [.video])
    }
}

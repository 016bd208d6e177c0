import Signaling

/// Initial audio and video settings of a client in a session, for publishing and receiving.
///
/// ```swift
/// var options = JoinOptions()
/// options.audio.isOn = false
/// options.video.maximumHeight = 360
/// try await session.connect(name: "Ada", options: options)
/// ```
public struct JoinOptions: Hashable, Sendable {
    public struct Audio: Hashable, Sendable {
        /// If false, the audio of camera streams starts muted, until `Publisher.setMuted(.audio, false)`.
        public var isOn = true
        /// If false, the relay sends no audio to this client, whatever its subscriptions ask for.
        public var isReceived = true
        /// If true, publishers encode for music: stereo, Opus's music mode, at least 128 kb/s, no DTX in silence. The client does not
        /// alter pushed audio; it has neither echo cancellation nor noise suppression. Applications whose capture applies them should
        /// switch them off.
        public var isMusic = false

        public init() {}
    }

    public struct Video: Hashable, Sendable {
        /// If false, the video of camera streams starts muted, until `Publisher.setMuted(.video, false)`.
        public var isOn = true
        /// If false, the relay sends no video to this client, whatever its subscriptions ask for.
        public var isReceived = true
        /// Maximum width in pixels, 1 to 16,383; nil for no limit. The relay sends no larger encoding as long as the stream has one within
        /// the limit. A stream with a single encoding is forwarded whatever its size, because the relay does not transcode.
        public var maximumWidth: Int?
        /// Maximum height in pixels, 1 to 16,383; nil for no limit. It applies like `maximumWidth`.
        public var maximumHeight: Int?

        public init() {}
    }

    public var audio = Audio()
    public var video = Video()
    /// If true, every stream of the session must be encrypted end to end. The first join decides for the session; a later one fails with
    /// `encryptionRequired` if the session was created without. This client then publishes and subscribes to encrypted streams only.
    public var requiresEncryption = false
    /// If true, streams are published encrypted end to end, with keys that this client agrees on with all others that joined with this option:
    /// no passphrase is entered, and every join and leave changes the keys. At most 200 participants can agree. Those without the
    /// option cannot decrypt. `Session.safetyNumber` tells whether the relay is honest about the keys; until the participants have compared
    /// it, the encryption protects only against a relay that listens, not against one that lies.
    public var agreesOnKeys = false

    public init() {}

    /// Media options of the join request; nil if they equal the relay's defaults.
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

import WebRTCClient

/// What a thread needs to play one WebRTC participant.
struct PeerSetup: Sendable {
    /// What a publisher sends.
    struct Media: Sendable {
        let video: VideoSource?
        let audio: AudioSource?
        /// Which of the audio source's tones.
        let tone: Int
        /// As `PublisherSetup` has them.
        let videoOffset: Int64
        let audioOffset: Int64
    }

    /// Unique among those of its direction.
    let index: Int
    let configuration: WebRTCEndpoint.Configuration
    /// The relay's.
    let answer: String
    let socket: UDPSocket
    /// When the offer was sent: monotonic nanoseconds.
    let joined: Int64
    /// Nil: a viewer.
    let media: Media?
    /// Of viewers whose media is decoded.
    let feed: SampleFeed?
    /// Called once, on the thread: connected, or why not.
    let completion: @Sendable (Result<Void, LoadError>) -> Void
}

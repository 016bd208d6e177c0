import WebRTCClient

/// Parameters of one WebRTC participant for its thread.
struct PeerSetup: Sendable {
    /// Media that a publisher sends.
    struct Media: Sendable {
        let video: VideoSource?
        let audio: AudioSource?
        /// Index of its tone in the audio source.
        let tone: Int
        /// Same as in `PublisherSetup`.
        let videoOffset: Int64
        let audioOffset: Int64
    }

    /// Unique among the participants of the same direction.
    let index: Int
    let configuration: WebRTCEndpoint.Configuration
    /// SDP answer of the relay.
    let answer: String
    let socket: UDPSocket
    /// Time at which the offer was sent, in monotonic nanoseconds.
    let joined: Int64
    /// Nil for a subscriber.
    let media: Media?
    /// Set for subscribers whose media is decoded.
    let feed: SampleFeed?
    /// Called once on the thread, when the participant is connected or has failed.
    let completion: @Sendable (Result<Void, LoadError>) -> Void
}

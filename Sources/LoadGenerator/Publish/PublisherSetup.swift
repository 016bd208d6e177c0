import MediaEngine

/// Parameters of one publisher for the sending thread.
struct PublisherSetup: Sendable {
    /// Unique in the run.
    let index: Int
    let transport: PlainTransport
    let video: VideoSource?
    let audio: AudioSource?
    /// Index of its tone in the audio source.
    let tone: Int
    /// Delay in nanoseconds from the encoding of a frame, and of an audio packet, to its sending by this publisher: publishers that
    /// share a source do not all send at once.
    let videoOffset: Int64
    let audioOffset: Int64
}

import MediaEngine

/// What the sending thread needs to play one publisher.
struct PublisherSetup: Sendable {
    /// Unique in the run.
    let index: Int
    let transport: PlainTransport
    let video: VideoSource?
    let audio: AudioSource?
    /// Which of the audio source's tones.
    let tone: Int
    /// Nanoseconds after a picture is encoded, and after a packet of sound is, that this publisher sends it: publishers that share
    /// a source do not all send at once.
    let videoOffset: Int64
    let audioOffset: Int64
}

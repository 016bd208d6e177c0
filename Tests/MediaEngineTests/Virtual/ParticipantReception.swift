import MediaBase
import RTP
import WebRTCClient

/// What a participant got of one stream that it subscribed to, by one offer's sections.
struct ParticipantReception {
    var assembler = VP8FrameAssembler(maximumWait: .milliseconds(500))
    var timestamps = TimestampUnwrapper()
    var sounds = 0
    var pictures = 0
    var packets = 0
    /// Of the newest picture.
    var encoding: UInt8?
    /// Of all pictures.
    var encodings: Set<UInt8> = []

    mutating func forget() {
        sounds = 0
        pictures = 0
        packets = 0
        encoding = nil
        encodings = []
    }
}

/// A packet that should not have come.
struct Stray: CustomStringConvertible {
    let description: String
}

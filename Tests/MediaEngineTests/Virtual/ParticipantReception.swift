import MediaBase
import RTP
import WebRTCClient

/// Reception of one stream by one participant, identified by the sections of one offer.
struct ParticipantReception {
    var assembler = FrameAssembler(maximumWait: .milliseconds(500))
    var timestamps = TimestampUnwrapper()
    var audioPackets = 0
    var frames = 0
    var packets = 0
    /// Video packets with a dependency descriptor.
    var descriptors = 0
    /// Encoding, or spatial layer, of the newest frame.
    var encoding: UInt8?
    /// Encodings of all frames.
    var encodings: Set<UInt8> = []

    /// Payload types of the video packets.
    var payloadTypes: Set<UInt8> = []

    mutating func forget() {
        audioPackets = 0
        frames = 0
        packets = 0
        descriptors = 0
        encoding = nil
        encodings = []
        payloadTypes = []
    }
}

/// A packet that should not have come.
struct Stray: CustomStringConvertible {
    let description: String
}

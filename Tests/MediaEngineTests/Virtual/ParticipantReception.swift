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
    /// H.264: key frames, and those whose parameter sets have arrived.
    var keyFrames = 0
    var decodableKeyFrames = 0
    private var parametersAt: RTPTimestamp?

    /// Notes a packet of H.264.
    /// - Parameter unit: first byte of its payload.
    mutating func note(unit: UInt8, at timestamp: RTPTimestamp) {
        switch unit & 0x1f {
        case 7, 24: parametersAt = timestamp
        case 5:
            keyFrames += 1
            if parametersAt == timestamp { decodableKeyFrames += 1 }
        default: break
        }
    }

    mutating func forget() {
        audioPackets = 0
        frames = 0
        packets = 0
        descriptors = 0
        encoding = nil
        encodings = []
        payloadTypes = []
        keyFrames = 0
        decodableKeyFrames = 0
    }
}

/// A packet that should not have come.
struct Stray: CustomStringConvertible {
    let description: String
}

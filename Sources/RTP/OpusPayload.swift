package import MediaBase

/// Properties of an Opus packet that need no decoding: the TOC byte and the frame count (RFC 6716 section 3.1). RTP carries one
/// such packet as its payload (RFC 7587 section 4.2), at a clock rate of 48 kHz for every coded bandwidth.
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     | config  |s| c |   c = 3: a second byte |v|p|  M  | with M frames
///     +-+-+-+-+-+-+-+-+
package struct OpusPayload: Hashable, Sendable {
    package enum Mode: Hashable, Sendable {
        case silk
        case hybrid
        case celt
    }

    /// 0...31: mode, bandwidth and frame size.
    package let configuration: UInt8
    /// 1 or 2.
    package let channels: Int
    /// 1...48.
    package let frameCount: Int
    /// Samples per channel of one frame at 48 kHz: 120...2880.
    package let samplesPerFrame: Int
    /// True if the packet is a TOC byte and at most one more byte, as an encoder sends during silence (DTX).
    package let isSilence: Bool

    /// Samples per channel at 48 kHz, which are also RTP clock ticks: 120...5760.
    package var sampleCount: Int { frameCount * samplesPerFrame }
    package var duration: MediaTime { MediaTime(rawValue: Int64(sampleCount) * 62_500 / 3) }

    package var mode: Mode { configuration < 12 ? .silk : configuration < 16 ? .hybrid : .celt }

    package init(parsing payload: UnsafeRawBufferPointer) throws(RTPError) {
        guard let toc = payload.first else { throw .truncated(.opusPayload) }
        configuration = toc >> 3
        channels = toc & 0x04 != 0 ? 2 : 1
        switch toc & 0x03 {
        case 0: frameCount = 1
        case 1, 2: frameCount = 2
        default:
            guard payload.count >= 2 else { throw .truncated(.opusPayload) }
            frameCount = Int(payload[1] & 0x3f)
        }
        switch configuration {
        case 0..<12: samplesPerFrame = configuration & 3 == 3 ? 2_880 : 480 << Int(configuration & 3)
        case 12..<16: samplesPerFrame = 480 << Int(configuration & 1)
        default: samplesPerFrame = 120 << Int(configuration & 3)
        }
        isSilence = payload.count <= 2
        // [R5]: a packet has at least one frame and lasts at most 120 ms.
        guard frameCount > 0, sampleCount <= 5_760 else { throw .invalid(.opusPayload) }
    }
}

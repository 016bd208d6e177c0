package import MediaBase

/// Packetizer of the encoded frames of one video stream into RTP payloads, in any codec that the relay forwards. `FrameDepacketizer` is its
/// reverse.
package enum VideoPacketizer: Sendable {
    case vp8(VP8Packetizer)
    case vp9(VP9Packetizer)
    case h264(H264Packetizer)
    case av1(AV1Packetizer)

    /// - Precondition: `maximumPayloadLength` is 9 to 16,383 bytes.
    package init(_ codec: VideoCodec, maximumPayloadLength: Int = 1_200) {
        self =
            switch codec {
            case .vp8: .vp8(VP8Packetizer(maximumPayloadLength: maximumPayloadLength))
            case .vp9: .vp9(VP9Packetizer(maximumPayloadLength: maximumPayloadLength))
            case .h264: .h264(H264Packetizer(maximumPayloadLength: maximumPayloadLength))
            case .av1: .av1(AV1Packetizer(maximumPayloadLength: maximumPayloadLength))
            }
    }

    /// Returns the payloads of a frame; the last one gets the marker bit.
    /// - Parameters:
    ///   - frame: bytes in the form of `VideoFrame`.
    ///   - nonReference: whether no later frame refers to this one; only VP8 states it.
    /// - Throws: for a damaged AV1 temporal unit.
    package mutating func payloads(of frame: [UInt8], nonReference: Bool = false) throws(RTPError) -> [[UInt8]] {
        switch self {
        case .vp8(var packetizer):
            defer { self = .vp8(packetizer) }
            return packetizer.payloads(of: frame, nonReference: nonReference)
        case .vp9(var packetizer):
            defer { self = .vp9(packetizer) }
            return packetizer.payloads(of: frame)
        case .h264(let packetizer): return packetizer.payloads(of: frame)
        case .av1(let packetizer): return try packetizer.payloads(of: frame)
        }
    }
}

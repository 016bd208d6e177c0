import COpus
public import MediaBase

/// Properties of an Opus packet, read without decoding it (RFC 6716 section 3).
public struct OpusPacketInfo: Sendable, Hashable {
    /// The coding mode of the packet's frames (RFC 6716 table 2).
    public enum Mode: Sendable, Hashable { case speech, hybrid, music }

    /// Number of coded channels, 1 or 2. A decoder with the other number converts.
    public let channels: Int
    /// Number of frames in the packet, 1 to 48.
    public let frames: Int
    /// Samples per channel at 48 kHz in the whole packet, 120 to 5760.
    public let frameCount: Int
    public let mode: Mode
    /// Coded audio bandwidth: 4, 6, 8, 12 or 20 kHz.
    public let bandwidthHertz: Int
    /// Whether no frame has content: silence of discontinuous transmission.
    public let isSilence: Bool

    public var duration: MediaTime { .microseconds(Int64(frameCount) * 1_000_000 / 48_000) }

    /// - Throws: `CodecError.corruptData` if the packet is malformed (RFC 6716 section 3.4).
    public init(_ packet: UnsafeRawBufferPointer) throws(CodecError) {
        guard let base = packet.bindMemory(to: UInt8.self).baseAddress, packet.count > 0 else {
            throw .corruptData(reason: "an empty Opus packet")
        }
        guard packet.count <= Int(Int32.max) else {
            throw .corruptData(reason: "an Opus packet of \(packet.count) bytes")
        }
        var sizes: [Int16] = Array(repeating: 0, count: 48)
        let count = opus_packet_parse(base, opus_int32(packet.count), nil, nil, &sizes, nil)
        guard count > 0 else { throw .opus(count) }
        let each = Int(opus_packet_get_samples_per_frame(base, opus_int32(PCMBlock.sampleRate)))
        guard each * Int(count) <= 5760 else { throw .corruptData(reason: "more than 120 ms in an Opus packet") }
        let configuration = base[0] >> 3
        frames = Int(count)
        frameCount = each * frames
        channels = base[0] & 4 == 0 ? 1 : 2
        mode = configuration < 12 ? .speech : configuration < 16 ? .hybrid : .music
        bandwidthHertz =
            switch opus_packet_get_bandwidth(base) {
            case OPUS_BANDWIDTH_NARROWBAND: 4_000
            case OPUS_BANDWIDTH_MEDIUMBAND: 6_000
            case OPUS_BANDWIDTH_WIDEBAND: 8_000
            case OPUS_BANDWIDTH_SUPERWIDEBAND: 12_000
            default: 20_000
            }
        isSilence = sizes.prefix(frames).allSatisfy { $0 <= 1 }
    }

    /// - Throws: `CodecError.corruptData` if the packet is malformed (RFC 6716 section 3.4).
    public init(_ packet: [UInt8]) throws(CodecError) {
        self = try packet.withRawBytes { bytes throws(CodecError) in try OpusPacketInfo(bytes) }
    }
}

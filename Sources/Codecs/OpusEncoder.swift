import COpus
public import MediaBase

/// Encodes 48 kHz PCM to Opus (RFC 6716) with libopus. Each audio track needs its own encoder, which keeps state
/// between calls and must be used by one thread at a time.
///
/// ```swift
/// let encoder = try OpusEncoder(channels: 2, application: .audio, bitrate: .kilobits(96))
/// let packet = try encoder.encode(PCMBlock(channels: 2, samples: twentyMilliseconds))
/// ```
public final class OpusEncoder {
    /// Number of channels, 1 or 2.
    public let channels: Int
    /// Duration of every block that `encode` accepts.
    public let frameDuration: OpusFrameDuration

    /// Longest packet of one frame (RFC 6716 section 3.2.1), including the table of contents byte.
    static let maximumPacketSize = 1276

    private let handle: OpaquePointer

    /// - Parameters:
    ///   - channels: 1 or 2.
    ///   - bitrate: 6 to 510 kb/s; nil lets libopus choose by channels and frame duration.
    ///   - complexity: 0 (least CPU) to 10 (best quality).
    ///   - fec: adds a low-bit-rate copy of each frame to the next packet (in-band FEC, RFC 6716 section 2.1.7).
    ///     libopus does so only in its speech modes and while `expectedLoss` is above zero.
    ///   - expectedLoss: expected packet loss of the network in percent, 0 to 100.
    ///   - dtx: enables discontinuous transmission, which sends almost nothing in silence (RFC 6716 section 2.1.9).
    ///   - constantBitrate: whether all packets have the same size.
    /// - Throws: `CodecError.invalidArgument` for a value out of range.
    public init(
        channels: Int = 2, application: OpusApplication = .audio, bitrate: Bitrate? = nil,
        frameDuration: OpusFrameDuration = .ms20, complexity: Int = 9, fec: Bool = false, expectedLoss: Int = 0,
        dtx: Bool = false, constantBitrate: Bool = false
    ) throws(CodecError) {
        guard channels == 1 || channels == 2 else {
            throw .invalidArgument("channels", reason: "\(channels) is neither 1 nor 2")
        }
        guard (0...10).contains(complexity) else {
            throw .invalidArgument("complexity", reason: "\(complexity) is not in 0...10")
        }
        var code: Int32 = 0
        guard
            let handle = opus_encoder_create(
                Int32(PCMBlock.sampleRate), Int32(channels), application.libraryValue, &code)
        else { throw .opus(code) }
        self.handle = handle
        self.channels = channels
        self.frameDuration = frameDuration
        try set(OPUS_SET_COMPLEXITY_REQUEST, Int32(complexity))
        try set(OPUS_SET_VBR_REQUEST, constantBitrate ? 0 : 1)
        try set(OPUS_SET_INBAND_FEC_REQUEST, fec ? 1 : 0)
        try set(OPUS_SET_DTX_REQUEST, dtx ? 1 : 0)
        try setExpectedLoss(expectedLoss)
        if let bitrate { try setBitrate(bitrate) }
    }

    deinit { opus_encoder_destroy(handle) }

    /// Changes the target bit rate from the next packet on, 6 to 510 kb/s.
    public func setBitrate(_ bitrate: Bitrate) throws(CodecError) {
        guard (6_000...510_000).contains(bitrate.rawValue) else {
            throw .invalidArgument("bitrate", reason: "\(bitrate) is not in 6...510 kb/s")
        }
        try set(OPUS_SET_BITRATE_REQUEST, Int32(bitrate.rawValue))
    }

    /// Changes the expected packet loss in percent, 0 to 100, which determines the amount of in-band FEC.
    public func setExpectedLoss(_ percent: Int) throws(CodecError) {
        guard (0...100).contains(percent) else {
            throw .invalidArgument("expectedLoss", reason: "\(percent) is not in 0...100")
        }
        try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(percent))
    }

    /// Delay of decoded audio in samples at 48 kHz, called pre-skip in an Ogg header (RFC 7845 section 4.2).
    public var lookahead: Int {
        var value: opus_int32 = 0
        return millrace_opus_encoder_get(handle, OPUS_GET_LOOKAHEAD_REQUEST, &value) == OPUS_OK ? Int(value) : 0
    }

    /// Whether the last packet is (nearly) empty because of discontinuous transmission and need not be sent.
    public var isInDTX: Bool {
        var value: opus_int32 = 0
        return millrace_opus_encoder_get(handle, OPUS_GET_IN_DTX_REQUEST, &value) == OPUS_OK && value != 0
    }

    /// Resets the encoder's state, as at the start of a new track.
    public func reset() { _ = millrace_opus_encoder_reset(handle) }

    /// Encodes one block of exactly `frameDuration`, with the encoder's number of channels.
    public func encode(_ block: PCMBlock) throws(CodecError) -> [UInt8] {
        guard block.channels == channels, block.frameCount == frameDuration.frameCount else {
            throw .invalidArgument(
                "block",
                reason: "\(block.frameCount) samples of \(block.channels) channels are not "
                    + "\(frameDuration.frameCount) of \(channels)")
        }
        var code: Int32 = 0
        let packet = block.samples.withUnsafeBufferPointer { samples in
            [UInt8](unsafeUninitializedCapacity: Self.maximumPacketSize) { bytes, count in
                code = opus_encode(
                    handle, samples.baseAddress!, Int32(frameDuration.frameCount), bytes.baseAddress!,
                    opus_int32(Self.maximumPacketSize))
                count = max(0, Int(code))
            }
        }
        guard code >= 0 else { throw .opus(code) }
        return packet
    }

    private func set(_ request: Int32, _ value: Int32) throws(CodecError) {
        let code = millrace_opus_encoder_set(handle, request, value)
        guard code == OPUS_OK else { throw .opus(code) }
    }
}

import COpus
public import MediaBase

/// Decodes Opus (RFC 6716) to 48 kHz PCM with libopus. Each audio track needs its own decoder, which keeps state
/// between calls and must be used by one thread at a time. For a lost packet, call `decode(nil)`, so that the audio has
/// no gap.
///
/// ```swift
/// let decoder = try OpusDecoder(channels: 2)
/// let block = try decoder.decode(packet)                      // a received packet
/// let guess = try decoder.decode(nil)                         // a lost packet, concealed
/// let saved = try decoder.decode(nextPacket, fec: true)       // a lost packet, from the redundancy in the next one
/// ```
public final class OpusDecoder {
    /// Number of output channels, 1 or 2, independent of the packets.
    public let channels: Int
    /// Longest packet, 120 ms (RFC 6716 section 3.2.5), in samples per channel.
    public static let maximumFrameCount = 5760

    /// Samples per channel of the last packet, which is the assumed length of a lost one. 20 ms before the first
    /// packet.
    public private(set) var lastFrameCount = 960

    private let handle: OpaquePointer

    /// - Parameter channels: 1 or 2.
    public init(channels: Int = 2) throws(CodecError) {
        guard channels == 1 || channels == 2 else {
            throw .invalidArgument("channels", reason: "\(channels) is neither 1 nor 2")
        }
        var code: Int32 = 0
        guard let handle = opus_decoder_create(Int32(PCMBlock.sampleRate), Int32(channels), &code) else {
            throw .opus(code)
        }
        self.handle = handle
        self.channels = channels
    }

    deinit { opus_decoder_destroy(handle) }

    /// Resets the decoder's state, as at the start of a new track.
    public func reset() { _ = millrace_opus_decoder_reset(handle) }

    /// Decodes one packet, or replaces a lost one.
    ///
    /// - Parameters:
    ///   - packet: nil conceals a lost packet by extrapolation, which fades out.
    ///   - fec: whether `packet` is the one *after* the lost one. The lost one is rebuilt from the low-bit-rate copy in
    ///     it, or concealed if it has none. Decode the packet itself afterwards.
    ///   - frameCount: lost samples per channel, a multiple of 120 up to 5760; nil for the last packet's length.
    ///     Ignored for a received packet.
    ///   - captureTime: capture time of the returned block.
    /// - Throws: `CodecError.corruptData` for a malformed packet; the decoder can continue with the next one.
    public func decode(
        _ packet: [UInt8]?, fec: Bool = false, frameCount: Int? = nil, captureTime: MediaTime = .zero
    ) throws(CodecError) -> PCMBlock {
        guard let packet else {
            return try block(of: nil, lost: frameCount ?? lastFrameCount, captureTime: captureTime)
        }
        return try packet.withRawBytes { bytes throws(CodecError) in
            try decode(bytes, fec: fec, frameCount: frameCount, captureTime: captureTime)
        }
    }

    /// Decodes a packet in foreign memory, like `decode(_:fec:frameCount:captureTime:)`.
    public func decode(
        _ packet: UnsafeRawBufferPointer, fec: Bool = false, frameCount: Int? = nil, captureTime: MediaTime = .zero
    ) throws(CodecError) -> PCMBlock {
        try block(of: packet, lost: fec ? frameCount ?? lastFrameCount : nil, captureTime: captureTime)
    }

    /// Decodes `packet`, or replaces a lost packet of `lost` samples if `lost` is not nil.
    private func block(
        of packet: UnsafeRawBufferPointer?, lost: Int?, captureTime: MediaTime
    ) throws(CodecError) -> PCMBlock {
        if let packet, packet.isEmpty { throw .corruptData(reason: "an empty Opus packet") }
        if let lost {
            guard lost > 0, lost <= Self.maximumFrameCount, lost % 120 == 0 else {
                throw .invalidArgument("frameCount", reason: "\(lost) is not a multiple of 120 up to 5760")
            }
        }
        let room = lost ?? Self.maximumFrameCount
        var code: Int32 = 0
        let samples = [Int16](unsafeUninitializedCapacity: room * channels) { samples, count in
            code = opus_decode(
                handle, packet?.bindMemory(to: UInt8.self).baseAddress, opus_int32(clamping: packet?.count ?? 0),
                samples.baseAddress!, Int32(room), packet != nil && lost != nil ? 1 : 0)
            count = max(0, Int(code)) * channels
        }
        guard code >= 0 else { throw .opus(code) }
        if lost == nil { lastFrameCount = Int(code) }
        return PCMBlock(channels: channels, samples: samples, captureTime: captureTime)
    }
}

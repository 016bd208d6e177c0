import COpus
public import MediaBase

/// Opus (RFC 6716) to 48 kHz PCM, over libopus. One decoder is one sound track; it keeps history between calls, and it
/// belongs to one thread at a time. What was lost is named by calling `decode(nil)`, so that the sound has no hole.
///
/// ```swift
/// let decoder = try OpusDecoder(channels: 2)
/// let block = try decoder.decode(packet)                      // the packet that came
/// let guess = try decoder.decode(nil)                         // one that did not
/// let saved = try decoder.decode(nextPacket, fec: true)       // one that did not, from what the next one carries
/// ```
public final class OpusDecoder {
    /// What comes out: 1 or 2, whatever the packets hold.
    public let channels: Int
    /// The longest packet: 120 ms (RFC 6716 section 3.2.5), in samples a channel.
    public static let maximumFrameCount = 5760

    /// Samples a channel of the last packet: what a lost one is taken to have held. 20 ms until one came.
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

    /// Forgets the history, as at the start of a new track.
    public func reset() { _ = millrace_opus_decoder_reset(handle) }

    /// Decodes one packet, or makes up for one that was lost.
    ///
    /// - Parameters:
    ///   - packet: nil conceals: the sound goes on from what came before and fades.
    ///   - fec: `packet` is the one *after* the lost one; the lost one is rebuilt from the low-rate copy in it, or concealed where
    ///     there is none. Decode the packet itself afterwards.
    ///   - frameCount: samples a channel that were lost, a multiple of 120 up to 5760; nil takes the last packet's length.
    ///     Ignored for a packet that came.
    ///   - captureTime: written into the block.
    /// - Throws: `CodecError.corruptData` for a malformed packet; the decoder can go on with the next one.
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

    /// The same for a packet that lies in somebody else's memory.
    public func decode(
        _ packet: UnsafeRawBufferPointer, fec: Bool = false, frameCount: Int? = nil, captureTime: MediaTime = .zero
    ) throws(CodecError) -> PCMBlock {
        try block(of: packet, lost: fec ? frameCount ?? lastFrameCount : nil, captureTime: captureTime)
    }

    /// `lost` is the length to make up for, nil where `packet` itself is to be decoded.
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

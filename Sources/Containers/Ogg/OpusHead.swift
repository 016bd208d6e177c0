/// Identification header of an Opus stream (RFC 7845 section 5.1), in Ogg and as WebM's CodecPrivate.
public struct OpusHead: Hashable, Sendable {
    public var channels: Int
    /// Samples at 48 kHz to drop from the start of the decoder's output.
    public var preSkip: Int
    /// Sample rate of the encoder's input in Hz, for information only.
    public var inputSampleRate: Int
    /// Gain to apply on playback, in 1/256 dB.
    public var outputGain: Int
    /// Channel mapping family: 0 is one stream of one or two channels; others have several streams.
    public var mappingFamily: Int

    public init(channels: Int, preSkip: Int, inputSampleRate: Int = 48_000, outputGain: Int = 0) {
        self.channels = channels
        self.preSkip = preSkip
        self.inputSampleRate = inputSampleRate
        self.outputGain = outputGain
        mappingFamily = 0
    }

    /// - Throws: `malformed` if the bytes are not an OpusHead, `unsupported` for a major version above 0 (the high
    ///   nibble).
    public init(parsing bytes: [UInt8], in container: ContainerKind, at offset: Int64 = -1) throws(ContainerError) {
        guard bytes.count >= 19, bytes.starts(with: Array("OpusHead".utf8)) else {
            throw ContainerError(container, "OpusHead", at: offset, .malformed("no OpusHead of at least 19 bytes"))
        }
        guard bytes[8] & 0xf0 == 0 else {
            throw ContainerError(container, "OpusHead version", at: offset, .unsupported("version \(bytes[8])"))
        }
        channels = Int(bytes[9])
        preSkip = Int(bytes.littleEndian(UInt16.self, at: 10))
        inputSampleRate = Int(bytes.littleEndian(UInt32.self, at: 12))
        outputGain = Int(Int16(bitPattern: bytes.littleEndian(UInt16.self, at: 16)))
        mappingFamily = Int(bytes[18])
        guard channels > 0 else {
            throw ContainerError(container, "OpusHead channel count", at: offset, .malformed("zero"))
        }
    }

    public var bytes: [UInt8] {
        var out = Array("OpusHead".utf8)
        out.append(1)
        out.append(UInt8(truncatingIfNeeded: channels))
        out.appendLittleEndian(UInt16(truncatingIfNeeded: preSkip))
        out.appendLittleEndian(UInt32(truncatingIfNeeded: inputSampleRate))
        out.appendLittleEndian(UInt16(truncatingIfNeeded: outputGain))
        out.append(UInt8(truncatingIfNeeded: mappingFamily))
        return out
    }
}

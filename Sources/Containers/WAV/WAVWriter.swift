public import MediaBase

/// Writes 16-bit PCM as RIFF WAVE. Until `finish()` the sizes are 0xFFFFFFFF, which players read as up to the end of
/// the file; they stay so if the sink cannot overwrite or the file exceeds 4 GiB.
public final class WAVWriter {
    private static let headerSize = 44

    private let sink: any ByteSink
    public let format: WAVFormat
    /// Number of samples per channel.
    public private(set) var frameCount: Int64 = 0
    private var dataSize: Int64 = 0
    private var buffer: [UInt8] = []
    private var isOpen = true

    public init(sink: any ByteSink, format: WAVFormat = WAVFormat(sampleRate: PCMBlock.sampleRate, channels: 2))
        throws(ContainerError)
    {
        guard (1...2).contains(format.channels), (1...768_000).contains(format.sampleRate) else {
            throw ContainerError(.wav, "fmt", .misuse("one or two channels, 1 to 768,000 samples per second"))
        }
        self.sink = sink
        self.format = format
        try sink.write(header(dataSize: nil))
    }

    public func write(_ block: PCMBlock) throws(ContainerError) {
        guard block.channels == format.channels else {
            throw ContainerError(.wav, "data", .misuse("\(block.channels) channels in a file of \(format.channels)"))
        }
        try write(samples: block.samples)
    }

    /// Writes interleaved samples, whole frames only.
    public func write(samples: [Int16]) throws(ContainerError) {
        guard isOpen else { throw ContainerError(.wav, "data", .misuse("write after finish")) }
        guard samples.count % format.channels == 0 else { throw ContainerError(.wav, "data", .misuse("partial frame")) }
        #if _endian(little)
            samples.withUnsafeBytes { buffer.append(contentsOf: $0) }
        #else
            for sample in samples { buffer.appendLittleEndian(sample) }
        #endif
        frameCount += Int64(samples.count / format.channels)
        if buffer.count >= 256 << 10 { try flush() }
    }

    public func flush() throws(ContainerError) {
        guard !buffer.isEmpty else { return }
        try sink.write(buffer)
        dataSize += Int64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    public func finish() throws(ContainerError) {
        guard isOpen else { return }
        isOpen = false
        try flush()
        try sink.overwrite(at: 0, header(dataSize: dataSize))
        try sink.close()
    }

    private func header(dataSize: Int64?) -> [UInt8] {
        let data = dataSize.flatMap { UInt32(exactly: $0) } ?? .max
        let riff = dataSize.flatMap { UInt32(exactly: $0 + Int64(Self.headerSize - 8)) } ?? .max
        let frameSize = format.channels * 2
        var out = Array("RIFF".utf8)
        out.appendLittleEndian(riff)
        out.append(contentsOf: "WAVEfmt ".utf8)
        out.appendLittleEndian(UInt32(16))
        out.appendLittleEndian(UInt16(1))
        out.appendLittleEndian(UInt16(format.channels))
        out.appendLittleEndian(UInt32(clamping: format.sampleRate))
        out.appendLittleEndian(
            UInt32(clamping: format.sampleRate.multipliedReportingOverflow(by: frameSize).partialValue))
        out.appendLittleEndian(UInt16(frameSize))
        out.appendLittleEndian(UInt16(16))
        out.append(contentsOf: "data".utf8)
        out.appendLittleEndian(data)
        return out
    }
}

/// Reads RIFF WAVE with 16-bit PCM in one or two channels. In a file that was not closed, a data size of 0xFFFFFFFF or
/// 0 means up to the end of the file.
public final class WAVReader {
    public let format: WAVFormat
    public private(set) var damage = DamageLog()
    public var position: Int64 { input.position }
    public let byteCount: Int64
    private let input: BufferedSource
    private let dataEnd: Int64

    public init(source: any ByteSource) throws(ContainerError) {
        input = BufferedSource(source)
        byteCount = source.byteCount
        let head = Array(try input.peek(12))
        guard head.starts(with: Array("RIFF".utf8)) else { throw ContainerError(.wav, "RIFF", at: 0, .wrongFormat) }
        guard head.count == 12 else { throw ContainerError(.wav, "RIFF", at: 0, .truncated) }
        guard head[8...].elementsEqual("WAVE".utf8) else {
            throw ContainerError(.wav, "form type", at: 8, .unsupported("not WAVE"))
        }
        input.seek(to: 12)
        var found: WAVFormat?
        // Each iteration advances by at least 8 bytes; the limit bounds the time for a file of tiny chunks.
        for _ in 0..<4096 {
            let start = input.position
            let chunk = Array(try input.peek(8))
            guard chunk.count == 8 else { throw ContainerError(.wav, "chunk", at: start, .truncated) }
            let size = Int64(chunk.littleEndian(UInt32.self, at: 4))
            input.seek(to: start + 8)
            if chunk.starts(with: Array("fmt ".utf8)) {
                found = try Self.parse(try input.bytes(Int(min(size, 64))), at: start)
            } else if chunk.starts(with: Array("data".utf8)) {
                guard let found else { throw ContainerError(.wav, "fmt", at: start, .malformed("data before fmt")) }
                format = found
                let isOpenEnded = size == Int64(UInt32.max) || size == 0
                dataEnd = isOpenEnded ? byteCount : min(byteCount, start + 8 + size)
                if !isOpenEnded, start + 8 + size > byteCount {
                    damage.add(ContainerError(.wav, "data", at: start, .truncated))
                }
                return
            }
            input.seek(to: start + 8 + size + (size & 1))
        }
        throw ContainerError(.wav, "data", at: input.position, .malformed("no data chunk"))
    }

    /// Remaining samples per channel.
    public var remainingFrames: Int64 { max(0, dataEnd - input.position) / Int64(2 * format.channels) }

    /// Returns up to `frames` frames, interleaved; empty at the end.
    public func read(frames: Int) throws(ContainerError) -> [Int16] {
        let count = Int(min(Int64(max(0, frames)), remainingFrames)) * format.channels
        let bytes = try input.bytes(count * 2)
        return (0..<bytes.count / 2).map { bytes.littleEndian(Int16.self, at: 2 * $0) }
    }

    private static func parse(_ bytes: [UInt8], at offset: Int64) throws(ContainerError) -> WAVFormat {
        guard bytes.count >= 16 else { throw ContainerError(.wav, "fmt", at: offset, .truncated) }
        var tag = bytes.littleEndian(UInt16.self, at: 0)
        // WAVE_FORMAT_EXTENSIBLE: the format tag is at the start of the sub-format.
        if tag == 0xfffe, bytes.count >= 26 { tag = bytes.littleEndian(UInt16.self, at: 24) }
        let channels = Int(bytes.littleEndian(UInt16.self, at: 2))
        let bits = Int(bytes.littleEndian(UInt16.self, at: 14))
        guard tag == 1, bits == 16, (1...2).contains(channels) else {
            throw ContainerError(
                .wav, "fmt", at: offset, .unsupported("format \(tag), \(bits) bits, \(channels) channels"))
        }
        let rate = Int(bytes.littleEndian(UInt32.self, at: 4))
        guard rate > 0 else { throw ContainerError(.wav, "fmt", at: offset, .malformed("a sample rate of 0")) }
        return WAVFormat(sampleRate: rate, channels: channels)
    }
}

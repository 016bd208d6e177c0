public import MediaBase

/// Reads YUV4MPEG2 with 8-bit 4:2:0 frames.
public final class Y4MReader {
    /// Maximum width and height, which is also VP8's limit.
    public static let maximumSide = 16_383

    public let header: Y4MHeader
    public private(set) var damage = DamageLog()
    public private(set) var framesRead = 0
    public var position: Int64 { input.position }
    public let byteCount: Int64
    private let input: BufferedSource
    private var isAtEnd = false

    public init(source: any ByteSource) throws(ContainerError) {
        input = BufferedSource(source)
        byteCount = source.byteCount
        guard try input.peek(9).elementsEqual("YUV4MPEG2".utf8) else {
            throw ContainerError(.y4m, "signature", at: 0, .wrongFormat)
        }
        guard let line = try Self.line(input, limit: 1024) else {
            throw ContainerError(.y4m, "header", at: 0, .truncated)
        }
        header = try Self.parse(line)
    }

    /// Returns the next frame; nil at the end. Capture times are computed from the header's rate.
    public func next() throws(ContainerError) -> I420Frame? {
        guard !isAtEnd else { return nil }
        let start = input.position
        guard let line = try Self.line(input, limit: 1024) else {
            let rest = byteCount - start
            return rest > 0 ? end(.truncated, at: start) : end(nil, at: start)
        }
        guard line == "FRAME" || line.hasPrefix("FRAME ") else { return end(.malformed("no FRAME line"), at: start) }
        let size = I420Frame.byteCount(width: header.width, height: header.height)
        guard input.remaining >= Int64(size) else { return end(.truncated, at: start) }
        let bytes = try input.bytes(size)
        guard bytes.count == size else { return end(.truncated, at: start) }
        let time = Double(framesRead) * Double(header.scale) / Double(header.rate)
        framesRead += 1
        return I420Frame(width: header.width, height: header.height, bytes: bytes, captureTime: .seconds(time))
    }

    private func end(_ reason: ContainerError.Reason?, at offset: Int64) -> I420Frame? {
        isAtEnd = true
        if let reason { damage.add(ContainerError(.y4m, "FRAME", at: offset, reason), lostBytes: byteCount - offset) }
        return nil
    }

    private static func line(_ input: BufferedSource, limit: Int) throws(ContainerError) -> String? {
        let window = try input.peek(limit)
        guard let length = window.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let text = String(decoding: window[0..<length], as: UTF8.self)
        input.seek(to: input.position + Int64(length + 1))
        return text
    }

    private static func parse(_ line: String) throws(ContainerError) -> Y4MHeader {
        var header = Y4MHeader(width: 0, height: 0, rate: 25)
        for word in line.split(separator: " ").dropFirst() {
            let value = word.dropFirst()
            switch word.first {
            case "W": header.width = Int(value) ?? 0
            case "H": header.height = Int(value) ?? 0
            case "F":
                let parts = value.split(separator: ":").compactMap { Int($0) }
                guard parts.count == 2, parts[0] > 0, parts[1] > 0 else {
                    throw ContainerError(.y4m, "F", at: 0, .malformed(String(value.prefix(32))))
                }
                header.rate = parts[0]
                header.scale = parts[1]
            case "C":
                guard ["420", "420jpeg", "420mpeg2", "420paldv"].contains(value) else {
                    throw ContainerError(.y4m, "C", at: 0, .unsupported("colour space \(value.prefix(32))"))
                }
            case "I":
                guard value == "p" || value == "?" else {
                    throw ContainerError(.y4m, "I", at: 0, .unsupported("interlaced frames"))
                }
            default: break
            }
        }
        guard (1...maximumSide).contains(header.width), (1...maximumSide).contains(header.height) else {
            throw ContainerError(.y4m, "size", at: 0, .malformed("\(header.width)x\(header.height)"))
        }
        return header
    }
}

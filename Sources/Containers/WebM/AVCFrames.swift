/// Converts H.264 frames of a Matroska file, whose NAL units have lengths, to access units with start codes (ITU-T H.264 Annex B), which
/// decoders take.
public struct AVCFrames: Hashable, Sendable {
    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// Parameter sets of the file, each behind a start code. Frames may leave them out.
    public let parameterSets: [UInt8]
    /// Bytes of a length: 1, 2 or 4.
    private let lengthSize: Int

    /// - Parameter codecPrivate: AVCDecoderConfigurationRecord (ISO/IEC 14496-15 section 5.3.3.1).
    /// - Returns: nil if it is truncated, or has another version.
    public init?(codecPrivate: [UInt8]) {
        guard codecPrivate.count >= 7, codecPrivate[0] == 1, codecPrivate[4] & 3 != 2 else { return nil }
        lengthSize = Int(codecPrivate[4] & 3) + 1
        var sets: [UInt8] = []
        var position = 5
        // SPS, then PPS.
        for mask: UInt8 in [0x1f, 0xff] {
            guard position < codecPrivate.count else { return nil }
            let count = codecPrivate[position] & mask
            position += 1
            for _ in 0..<count {
                guard let end = Self.end(of: codecPrivate, at: position, lengthSize: 2) else { return nil }
                sets += Self.startCode + codecPrivate[(position + 2)..<end]
                position = end
            }
        }
        parameterSets = sets
    }

    /// Returns the access unit of a frame; nil if the frame is truncated.
    public func accessUnit(_ frame: [UInt8]) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(frame.count + 16)
        var position = 0
        while position < frame.count {
            guard let end = Self.end(of: frame, at: position, lengthSize: lengthSize) else { return nil }
            out += Self.startCode
            out += frame[(position + lengthSize)..<end]
            position = end
        }
        return out
    }

    /// Returns the end of the NAL unit whose length is at `position`; nil if it is truncated.
    private static func end(of bytes: [UInt8], at position: Int, lengthSize: Int) -> Int? {
        guard position + lengthSize <= bytes.count else { return nil }
        let length = bytes[position..<(position + lengthSize)].reduce(0) { $0 << 8 | Int($1) }
        let end = position + lengthSize + length
        return end <= bytes.count ? end : nil
    }
}

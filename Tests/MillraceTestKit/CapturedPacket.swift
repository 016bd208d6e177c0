/// RTP packet of a capture in `Tests/Vectors/captures`, which another program sent.
package struct CapturedPacket: Sendable {
    /// Position in the capture: the captures have some of the frames of a longer stream, so that their sequence numbers have gaps.
    package var sequence: Int64
    package var timestamp: Int64
    package var marker: Bool
    /// Without padding.
    package var payload: [UInt8]

    /// Reads the RTP packets of a capture, such as `ffmpeg-5.1-h264`.
    package static func all(of name: String) throws -> [CapturedPacket] {
        try TestVector.datagrams("captures/\(name).hex", "rtp").enumerated().map { index, bytes in
            var start = 12 + 4 * Int(bytes[0] & 0x0f)
            if bytes[0] & 0x10 != 0 { start += 4 + 4 * (Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])) }
            let padding = bytes[0] & 0x20 != 0 ? Int(bytes[bytes.count - 1]) : 0
            return CapturedPacket(
                sequence: Int64(index), timestamp: bytes[4..<8].reduce(0) { $0 << 8 | Int64($1) },
                marker: bytes[1] & 0x80 != 0, payload: Array(bytes[start..<(bytes.count - padding)]))
        }
    }
}

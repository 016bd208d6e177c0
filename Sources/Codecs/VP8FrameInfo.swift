/// Properties of a VP8 frame, read without decoding it (RFC 6386 section 9.1): from the 3-byte frame tag, and for a key
/// frame from the 7 bytes after it.
public struct VP8FrameInfo: Sendable, Hashable {
    public let isKeyFrame: Bool
    /// Bitstream version, 0 to 3.
    public let version: Int
    /// Whether the frame is shown; false for a frame that only updates references.
    public let isShown: Bool
    /// Bytes of the first partition, which has modes and motion vectors.
    public let firstPartitionSize: Int
    /// Frame size, 1 to 16383; nil except for key frames. Excludes the upscaling hint.
    public let width: Int?
    public let height: Int?

    /// - Throws: `CodecError.corruptData` for a header that is truncated, has no start code or a size of zero.
    public init(_ frame: UnsafeRawBufferPointer) throws(CodecError) {
        guard frame.count >= 3 else { throw .corruptData(reason: "\(frame.count) bytes are less than a VP8 frame tag") }
        let tag = Int(frame[0]) | Int(frame[1]) << 8 | Int(frame[2]) << 16
        isKeyFrame = tag & 1 == 0
        version = tag >> 1 & 7
        isShown = tag >> 4 & 1 == 1
        firstPartitionSize = tag >> 5
        guard version <= 3 else { throw .corruptData(reason: "VP8 version \(version)") }
        guard isKeyFrame else {
            width = nil
            height = nil
            return
        }
        guard frame.count >= 10 else { throw .corruptData(reason: "a VP8 key frame header is truncated") }
        guard frame[3] == 0x9d, frame[4] == 0x01, frame[5] == 0x2a else {
            throw .corruptData(reason: "a VP8 key frame has no start code")
        }
        let width = (Int(frame[6]) | Int(frame[7]) << 8) & 0x3fff
        let height = (Int(frame[8]) | Int(frame[9]) << 8) & 0x3fff
        guard width > 0, height > 0 else { throw .corruptData(reason: "a VP8 frame of \(width)x\(height)") }
        self.width = width
        self.height = height
    }

    /// - Throws: `CodecError.corruptData` for a header that is truncated, has no start code or a size of zero.
    public init(_ frame: [UInt8]) throws(CodecError) {
        self = try frame.withRawBytes { bytes throws(CodecError) in try VP8FrameInfo(bytes) }
    }
}

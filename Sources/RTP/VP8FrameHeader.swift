/// Fields of the uncompressed data chunk at the start of a VP8 frame (RFC 6386 section 9.1).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |Size0|H| VER |P|   P = 0: key frame; then 0x9d 0x01 0x2a, 14 bits width + 2 bits scale, 14 + 2 bits height
///     +-+-+-+-+-+-+-+-+
package enum VP8FrameHeader {
    /// Returns whether `frame`, a complete frame or its start, is a key frame. False if it is empty.
    package static func isKeyFrame(_ frame: UnsafeRawBufferPointer) -> Bool {
        frame.count > 0 && frame[0] & 0x01 == 0
    }

    /// Returns width and height in pixels; nil if this is not a key frame, or its start code is wrong or truncated.
    package static func keyFrameSize(of frame: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
        guard frame.count >= 10, isKeyFrame(frame), frame[3] == 0x9d, frame[4] == 0x01, frame[5] == 0x2a else {
            return nil
        }
        // Little-endian, unlike the RTP fields.
        let width = (Int(frame[7]) << 8 | Int(frame[6])) & 0x3fff
        let height = (Int(frame[9]) << 8 | Int(frame[8])) & 0x3fff
        return (width, height)
    }
}

/// What the uncompressed data chunk at the start of a VP8 frame tells (RFC 6386 section 9.1).
///
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
///     |Size0|H| VER |P|   P = 0: key frame; then 0x9d 0x01 0x2a, 14 bits width + 2 bits scale, 14 + 2 bits height
///     +-+-+-+-+-+-+-+-+
package enum VP8FrameHeader {
    /// Whether `frame`, a whole frame or its start, is a key frame. An empty one is not.
    package static func isKeyFrame(_ frame: UnsafeRawBufferPointer) -> Bool {
        frame.count > 0 && frame[0] & 0x01 == 0
    }

    /// Width and height in pixels; nil when this is no key frame or its start code is wrong or cut off.
    package static func keyFrameSize(of frame: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
        guard frame.count >= 10, isKeyFrame(frame), frame[3] == 0x9d, frame[4] == 0x01, frame[5] == 0x2a else {
            return nil
        }
        // Little-endian, unlike everything around it.
        let width = (Int(frame[7]) << 8 | Int(frame[6])) & 0x3fff
        let height = (Int(frame[9]) << 8 | Int(frame[8])) & 0x3fff
        return (width, height)
    }
}

/// One encoded picture, cut into RTP payloads, that all publishers of a group send.
struct VideoPicture: Sendable {
    /// Counts the pictures of its source, without gaps.
    let number: Int64
    /// Monotonic nanoseconds.
    let captured: Int64
    /// When the encoder was done: monotonic nanoseconds.
    let ready: Int64
    let isKeyFrame: Bool
    /// VP8 payload descriptor included.
    let payloads: [[UInt8]]
}

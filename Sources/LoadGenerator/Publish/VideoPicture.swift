/// One picture, encoded and cut into RTP payloads, that all publishers of a group send.
struct VideoPicture: Sendable {
    /// The picture in one size.
    struct Encoding: Sendable {
        let isKeyFrame: Bool
        /// VP8 payload descriptor included.
        let payloads: [[UInt8]]
    }

    /// Counts the pictures of its source, without gaps.
    let number: Int64
    /// Monotonic nanoseconds.
    let captured: Int64
    /// When the encoders were done: monotonic nanoseconds.
    let ready: Int64
    /// Smallest first, as the source's formats are.
    let encodings: [Encoding]
}

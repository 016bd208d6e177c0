/// Encoded frame, split into RTP payloads, that all publishers of a group send.
struct SourceFrame: SourceItem {
    /// The frame in one size.
    struct Encoding: Sendable {
        let isKeyFrame: Bool
        /// The VP8 frame.
        let bytes: [UInt8]
        /// RTP payloads, VP8 payload descriptor included.
        let payloads: [[UInt8]]
    }

    let number: Int64
    /// Capture time in monotonic nanoseconds.
    let captured: Int64
    let ready: Int64
    /// Smallest first, in the order of the source's formats.
    let encodings: [Encoding]
}

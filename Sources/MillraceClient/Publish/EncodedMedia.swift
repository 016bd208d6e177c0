import MediaBase

/// Output of a publisher's encoders for the media thread.
enum EncodedMedia: Sendable {
    /// A video frame; `encoding` counts from the smallest encoding.
    case video(encoding: Int, bytes: [UInt8], isKeyFrame: Bool, isReference: Bool, time: MediaTime)
    /// An audio packet; `level` is its audio level in -dBov, 0 (loudest) to 127.
    case audio(bytes: [UInt8], level: UInt8, time: MediaTime)
}

import MediaBase

/// A whole VP8 frame on its way to the decoder.
struct EncodedPicture: Sendable {
    var bytes: [UInt8]
    var isKeyFrame: Bool
    var rotation = Rotation.none
    var captureTime: MediaTime
}

import MediaBase

/// Complete VP8 frame for the decoder.
struct EncodedPicture: Sendable {
    var bytes: [UInt8]
    var isKeyFrame: Bool
    var rotation = Rotation.none
    var captureTime: MediaTime
}

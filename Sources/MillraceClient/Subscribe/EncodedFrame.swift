import MediaBase

/// Complete encoded frame for the decoder.
struct EncodedFrame: Sendable {
    var codec = VideoCodec.vp8
    var bytes: [UInt8]
    var isKeyFrame: Bool
    var rotation = Rotation.none
    var captureTime: MediaTime
}

import MediaBase

/// What a publisher's encoders made, on its way to the media thread.
enum EncodedMedia: Sendable {
    /// `encoding` counts from the smallest on.
    case picture(encoding: Int, bytes: [UInt8], isKeyFrame: Bool, isReference: Bool, time: MediaTime)
    /// `level`: decibels below the loudest, 0...127.
    case sound(bytes: [UInt8], level: UInt8, time: MediaTime)
}

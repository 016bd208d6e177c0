public import MediaBase

/// The raw pictures and sound of a stream, for any number of readers, each at its own pace: a slow reader loses the oldest and
/// counts them, and holds up nobody.
///
/// ```swift
/// for await picture in subscriber.canvas.pictures() { show(picture) }
/// ```
public struct Canvas: Sendable {
    let pictureHub = FeedHub<I420Frame>()
    let soundHub = FeedHub<PCMBlock>()

    init() {}

    /// A reader of frames: I420 with dimensions and capture time, upright: the sender's rotation (RFC 7742 section 4) is applied.
    /// - Parameter limit: pictures that wait for it at most; the oldest of more are lost to it.
    public func pictures(limit: Int = 2) -> Feed<I420Frame> { pictureHub.feed(limit: limit) }

    /// A reader of sound: stereo PCM at 48 kHz in blocks of a packet each, without gaps while the stream is heard.
    /// - Parameter limit: blocks that wait for it at most: 50 are a second as a rule.
    public func sound(limit: Int = 50) -> Feed<PCMBlock> { soundHub.feed(limit: limit) }

    func finish() {
        pictureHub.finish()
        soundHub.finish()
    }
}

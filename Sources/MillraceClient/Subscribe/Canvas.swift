public import MediaBase

/// Raw frames and audio of a stream for any number of readers, each at its own pace. A slow reader loses the oldest elements,
/// which are counted, and delays no other reader.
///
/// ```swift
/// for await frame in subscriber.canvas.frames() { show(frame) }
/// ```
public struct Canvas: Sendable {
    let frameHub = FeedHub<I420Frame>()
    let audioHub = FeedHub<PCMBlock>()

    init() {}

    /// Returns a new reader of video frames: I420 with dimensions and capture time. Frames are upright: the sender's rotation
    /// (RFC 7742 section 4) has been applied.
    /// - Parameter limit: maximum number of frames queued for the reader; on overflow the oldest are dropped.
    public func frames(limit: Int = 2) -> Feed<I420Frame> { frameHub.feed(limit: limit) }

    /// Returns a new reader of audio: stereo PCM at 48 kHz, one block per packet. While audio is received, lost packets are
    /// concealed, so that there are no gaps.
    /// - Parameter limit: maximum number of blocks queued for the reader; 50 blocks are usually one second.
    public func audio(limit: Int = 50) -> Feed<PCMBlock> { audioHub.feed(limit: limit) }

    func finish() {
        frameHub.finish()
        audioHub.finish()
    }
}

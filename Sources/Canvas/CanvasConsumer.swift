package import MediaBase

/// Receiver of the media that a `CanvasTap` decodes. All calls come from the tap's thread, one at a time. A slow
/// consumer makes the tap lose packets, which are counted, and delays nothing else.
package protocol CanvasConsumer: AnyObject {
    /// Receives a frame; returns false to end the tap.
    func take(_ frame: I420Frame) -> Bool
    /// Receives 48 kHz stereo audio; returns false to end the tap.
    func take(_ block: PCMBlock) -> Bool
    /// Called once, after the last frame or audio, when the stream or the tap has ended.
    func finish()
}

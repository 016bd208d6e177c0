package import MediaBase

/// Who gets what a `CanvasTap` decodes. All calls come from the tap's own thread, one after another; a consumer that
/// takes its time makes the tap lose packets, which are counted, and slows nothing else.
package protocol CanvasConsumer: AnyObject {
    /// False ends the tap.
    func take(_ picture: I420Frame) -> Bool
    /// 48 kHz stereo. False ends the tap.
    func take(_ sound: PCMBlock) -> Bool
    /// Nothing more comes: the stream or the tap ended. Called once.
    func finish()
}

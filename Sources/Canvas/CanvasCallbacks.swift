package import MediaBase

/// Passes frames and audio to closures, which run on the tap's thread. A closure that returns false ends the tap.
package final class CanvasCallbacks: CanvasConsumer {
    private let onFrame: (I420Frame) -> Bool
    private let onAudio: (PCMBlock) -> Bool
    private let onFinish: () -> Void

    package init(
        frame: @escaping (I420Frame) -> Bool = { _ in true }, audio: @escaping (PCMBlock) -> Bool = { _ in true },
        finish: @escaping () -> Void = {}
    ) {
        onFrame = frame
        onAudio = audio
        onFinish = finish
    }

    package func take(_ frame: I420Frame) -> Bool { onFrame(frame) }
    package func take(_ block: PCMBlock) -> Bool { onAudio(block) }
    package func finish() { onFinish() }
}

package import MediaBase

/// Passes frames and audio to closures, which run on the tap's thread. A closure that returns false ends the tap.
package final class CanvasCallbacks: CanvasConsumer {
    private let onPicture: (I420Frame) -> Bool
    private let onSound: (PCMBlock) -> Bool
    private let onFinish: () -> Void

    package init(
        picture: @escaping (I420Frame) -> Bool = { _ in true }, sound: @escaping (PCMBlock) -> Bool = { _ in true },
        finish: @escaping () -> Void = {}
    ) {
        onPicture = picture
        onSound = sound
        onFinish = finish
    }

    package func take(_ picture: I420Frame) -> Bool { onPicture(picture) }
    package func take(_ sound: PCMBlock) -> Bool { onSound(sound) }
    package func finish() { onFinish() }
}

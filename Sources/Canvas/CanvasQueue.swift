package import MediaBase
import Synchronization

/// Frames and audio for a consumer that reads them at its own pace with `for await`. Bounded: when it is full, the
/// oldest element is dropped and counted. A capacity of one frame always holds the latest one.
///
/// Each of the two sequences has one reader, and ends with the tap.
package final class CanvasQueue: CanvasConsumer, Sendable {
    package let pictures: AsyncStream<I420Frame>
    package let sound: AsyncStream<PCMBlock>
    private let pictureEnd: AsyncStream<I420Frame>.Continuation
    private let soundEnd: AsyncStream<PCMBlock>.Continuation
    private let droppedPictureCount = Atomic<UInt64>(0)
    private let droppedSoundCount = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - pictures: capacity in frames; 1 keeps only the latest.
    ///   - soundBlocks: capacity in blocks of one packet each (mostly 20 ms).
    package init(pictures: Int = 1, soundBlocks: Int = 50) {
        (self.pictures, pictureEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(max(1, pictures)))
        (sound, soundEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(max(1, soundBlocks)))
    }

    /// Frames that were dropped before they were read.
    package var droppedPictures: UInt64 { droppedPictureCount.load(ordering: .relaxed) }
    /// Blocks that were dropped before they were read.
    package var droppedSound: UInt64 { droppedSoundCount.load(ordering: .relaxed) }

    package func take(_ picture: I420Frame) -> Bool {
        switch pictureEnd.yield(picture) {
        case .dropped: droppedPictureCount.wrappingAdd(1, ordering: .relaxed)
        case .terminated: return false
        default: break
        }
        return true
    }

    package func take(_ sound: PCMBlock) -> Bool {
        switch soundEnd.yield(sound) {
        case .dropped: droppedSoundCount.wrappingAdd(1, ordering: .relaxed)
        case .terminated: return false
        default: break
        }
        return true
    }

    package func finish() {
        pictureEnd.finish()
        soundEnd.finish()
    }
}

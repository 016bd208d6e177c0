package import MediaBase
import Synchronization

/// Frames and audio for a consumer that reads them at its own pace with `for await`. Bounded: when it is full, the
/// oldest element is dropped and counted. A capacity of one frame always holds the latest one.
///
/// Each of the two sequences has one reader, and ends with the tap.
package final class CanvasQueue: CanvasConsumer, Sendable {
    package let frames: AsyncStream<I420Frame>
    package let audio: AsyncStream<PCMBlock>
    private let frameEnd: AsyncStream<I420Frame>.Continuation
    private let audioEnd: AsyncStream<PCMBlock>.Continuation
    private let droppedFrameCount = Atomic<UInt64>(0)
    private let droppedBlockCount = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - frames: capacity in frames; 1 keeps only the latest.
    ///   - audioBlocks: capacity in blocks of one packet each (mostly 20 ms).
    package init(frames: Int = 1, audioBlocks: Int = 50) {
        (self.frames, frameEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(max(1, frames)))
        (audio, audioEnd) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(max(1, audioBlocks)))
    }

    /// Frames that were dropped before they were read.
    package var droppedFrames: UInt64 { droppedFrameCount.load(ordering: .relaxed) }
    /// Blocks that were dropped before they were read.
    package var droppedAudioBlocks: UInt64 { droppedBlockCount.load(ordering: .relaxed) }

    package func take(_ frame: I420Frame) -> Bool {
        switch frameEnd.yield(frame) {
        case .dropped: droppedFrameCount.wrappingAdd(1, ordering: .relaxed)
        case .terminated: return false
        default: break
        }
        return true
    }

    package func take(_ block: PCMBlock) -> Bool {
        switch audioEnd.yield(block) {
        case .dropped: droppedBlockCount.wrappingAdd(1, ordering: .relaxed)
        case .terminated: return false
        default: break
        }
        return true
    }

    package func finish() {
        frameEnd.finish()
        audioEnd.finish()
    }
}

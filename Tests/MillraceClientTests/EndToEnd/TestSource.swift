import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import TestMedia

/// Pushes a numbered frame and a tone into a publisher in real time, until it is released.
final class TestSource: Sendable {
    static let width = 320
    static let height = 180
    static let tone = TestTone(publisher: 1)

    private let pushed: NIOLockedValueBox<UInt32>
    private let tasks: [RepeatedTask]

    init(_ publisher: Publisher, framesPerSecond: Int64 = 15, audio: Bool = true) {
        let pushed = NIOLockedValueBox<UInt32>(0)
        self.pushed = pushed
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let video = TestVideo(width: Self.width, height: Self.height)
        let started = NIODeadline.now()
        let samples = NIOLockedValueBox<Int64>(0)
        var tasks = [
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(1_000 / framesPerSecond)) { _ in
                let number = pushed.withLockedValue { number in
                    number += 1
                    return number
                }
                publisher.push(video.frame(FrameBar(counter: number, captureMicroseconds: 0)))
            }
        ]
        if audio {
            tasks.append(
                loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(20)) { _ in
                    // Pushes audio for the time that has passed, even if the timer fires late.
                    let due = (NIODeadline.now() - started).nanoseconds * 48 / 1_000_000 / 960 * 960
                    let start = samples.withLockedValue { samples in
                        defer { samples = max(samples, due) }
                        return samples
                    }
                    guard due > start else { return }
                    publisher.push(
                        Self.tone.block(
                            start: start, frames: Int(due - start),
                            captureTime: .seconds(1) + .nanoseconds(start * 62_500 / 3)))
                })
        }
        self.tasks = tasks
    }

    deinit { for task in tasks { task.cancel() } }

    /// Number of frames that were pushed.
    var count: UInt32 { pushed.withLockedValue { $0 } }

    static var settings: PublisherSettings {
        PublisherSettings(
            name: "test video",
            video: .init(
                width: width, height: height, framesPerSecond: 15, bitrate: .kilobits(400), speed: 12))
    }
}

import CLinuxNet
import SRTP
import Synchronization

/// Packets of one sampled subscriber on their way to the decoding thread: bounded; what finds it full is dropped and counted.
final class SampleFeed: Sendable {
    /// One datagram.
    struct Packet: Sendable {
        let bytes: [UInt8]
        /// Monotonic nanoseconds.
        let arrival: Int64
    }

    /// What the decoding thread must know of the subscription.
    struct Source: Sendable {
        /// Nil: packets come in the clear.
        let relayKey: SRTPKey?
        let audioSSRC: UInt32?
        let videoSSRC: UInt32?
        let tone: TestTone?
        let format: VideoFormat?
        /// Nanoseconds that the publisher sends its pictures after they were encoded, by design.
        let sendOffset: Int64
        /// When the join began: monotonic nanoseconds.
        let joined: Int64
    }

    let source: Source
    private let queue = Locked(Queue())
    private let wakeUp: Int32
    private let keyFrameWanted = Atomic<Bool>(false)

    private struct Queue {
        var packets: [Packet] = []
        var dropped: UInt64 = 0
        var closed: Int64?
    }

    private static let capacity = 8_192

    /// - Parameter wakeUp: eventfd of the decoding thread.
    init(source: Source, wakeUp: Int32) {
        self.source = source
        self.wakeUp = wakeUp
    }

    func push(_ bytes: UnsafeRawBufferPointer, arrival: Int64) {
        let wasEmpty = queue.withLock { queue in
            guard queue.packets.count < Self.capacity, queue.closed == nil else {
                queue.dropped += 1
                return false
            }
            queue.packets.append(Packet(bytes: Array(bytes), arrival: arrival))
            return queue.packets.count == 1
        }
        if wasEmpty { millrace_event_signal(wakeUp) }
    }

    /// No more packets will come.
    func close(now: Int64) {
        queue.withLock { if $0.closed == nil { $0.closed = now } }
        millrace_event_signal(wakeUp)
    }

    /// All packets that wait, and when the feed was closed.
    func take() -> (packets: [Packet], closed: Int64?) {
        queue.withLock { queue in
            defer { queue.packets.removeAll(keepingCapacity: true) }
            return (queue.packets, queue.closed)
        }
    }

    var dropped: UInt64 { queue.withLock { $0.dropped } }

    /// The decoder waits for a key frame: set by the decoding thread, read by whoever sends the subscriber's RTCP.
    var wantsKeyFrame: Bool {
        get { keyFrameWanted.load(ordering: .relaxed) }
        set { keyFrameWanted.store(newValue, ordering: .relaxed) }
    }
}

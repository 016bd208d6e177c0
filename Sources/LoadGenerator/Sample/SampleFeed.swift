import CLinuxNet
import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import SRTP
import Synchronization
import TestMedia

/// Queue of one sampled subscriber's packets for the decoding thread. Bounded: if it is full, new packets are dropped and counted.
final class SampleFeed: Sendable {
    /// A received datagram, and its arrival time in monotonic nanoseconds.
    typealias Packet = (bytes: [UInt8], arrival: Int64)

    /// Parameters of the subscription for the decoding thread.
    struct Source: Sendable {
        /// Nil if packets arrive decrypted.
        let relayKey: SRTPKey?
        let audioSSRC: UInt32?
        let videoSSRC: UInt32?
        let tone: TestTone?
        let format: VideoFormat?
        /// Intended delay of the publisher from encoding a frame to sending it, in nanoseconds.
        let sendOffset: Int64
        /// Time at which the join began, in monotonic nanoseconds.
        let joined: Int64
        /// Keys of the end-to-end encryption; nil without encryption.
        var keys: FrameKeys?
    }

    let source: Source
    private let queue = NIOLockedValueBox(Queue())
    private let wakeUp: Int32
    private let keyFrameWanted = Atomic<Bool>(false)

    private struct Queue {
        var packets: [Packet] = []
        var dropped: UInt64 = 0
        var closed: Int64?
    }

    private static let capacity = 8_192

    /// Returns the SSRC that decrypted packets of a kind have here, in place of the relay's SSRCs, which may change and are not in
    /// every answer.
    static func ssrc(of kind: MediaKind) -> UInt32 { kind == .audio ? 1 : 2 }

    /// - Parameter wakeUp: eventfd of the decoding thread.
    init(source: Source, wakeUp: Int32) {
        self.source = source
        self.wakeUp = wakeUp
    }

    func push(_ bytes: [UInt8], arrival: Int64) {
        let wasEmpty = queue.withLockedValue { queue in
            guard queue.packets.count < Self.capacity, queue.closed == nil else {
                queue.dropped += 1
                return false
            }
            queue.packets.append((bytes, arrival))
            return queue.packets.count == 1
        }
        if wasEmpty { millrace_event_signal(wakeUp) }
    }

    /// Ends the feed; no more packets follow.
    func close(now: Int64) {
        queue.withLockedValue { if $0.closed == nil { $0.closed = now } }
        millrace_event_signal(wakeUp)
    }

    /// Returns all queued packets, and the time at which the feed was closed.
    func take() -> (packets: [Packet], closed: Int64?) {
        queue.withLockedValue { queue in
            defer { queue.packets.removeAll(keepingCapacity: true) }
            return (queue.packets, queue.closed)
        }
    }

    var dropped: UInt64 { queue.withLockedValue { $0.dropped } }

    /// True if the decoder waits for a key frame. Set by the decoding thread, read by the thread that sends the subscriber's RTCP.
    var wantsKeyFrame: Bool {
        get { keyFrameWanted.load(ordering: .relaxed) }
        set { keyFrameWanted.store(newValue, ordering: .relaxed) }
    }
}

import Glibc
import MediaBase
import MillraceTestKit

extension Sequence<TestStream.Packet> {
    /// Returns the packets as a publisher sends them that gathers all until a time: from then on a hundred times as fast as they were captured.
    func gathered(until time: MediaTime) -> [TestStream.Packet] {
        let first = map(\.arrival).min() ?? .zero
        return map { packet in
            var packet = packet
            packet.arrival = Swift.max(packet.arrival, time + .nanoseconds((packet.arrival - first).rawValue / 100))
            return packet
        }
    }

    /// Returns the packets with arrival times of a `TestStream` that begins now, for readers whose timeouts run by the clock of the machine.
    func arrivingNow() -> [TestStream.Packet] { arriving(from: .monotonicNow) }

    /// Returns the packets with arrival times of a `TestStream` that begins at `start`.
    func arriving(from start: MediaTime) -> [TestStream.Packet] {
        let shift = start - TestStream().start
        return map { packet in
            var packet = packet
            packet.arrival += shift
            return packet
        }
    }
}

extension MediaTime {
    /// Time of the machine's clock, to which arrival times of real packets belong.
    static var monotonicNow: MediaTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

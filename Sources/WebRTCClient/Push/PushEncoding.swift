import Forwarding
package import MediaBase

/// Choice among the encodings of a pushed stream: the largest that fits the path to the server, by the estimate of the endpoint. Falls at
/// once; rises with headroom, and after a fall only after a hold time that doubles if the rise was wrong (`LayerAllocator`).
package struct PushEncoding {
    /// Estimate of the path.
    package struct Path: Sendable, Hashable {
        /// Bit rate that may be sent now.
        package var target: Bitrate
        /// Bit rate that the path carries in the long run.
        package var capacity: Bitrate
        /// Whether the path is certainly full.
        package var isFull: Bool

        package init(target: Bitrate, capacity: Bitrate, isFull: Bool) {
            self.target = target
            self.capacity = capacity
            self.isFull = isFull
        }

        /// Nil if the server does not acknowledge packets, or has no retransmission stream: without probes an estimate that has fallen
        /// would stay below the rate of a larger encoding.
        package init?(of endpoint: WebRTCEndpoint) {
            guard let uplink = endpoint.uplink, uplink.isAcknowledged, endpoint.canProbe else { return nil }
            self.init(target: uplink.target, capacity: uplink.capacity, isFull: uplink.isFull)
        }
    }

    package struct Choice: Sendable, Hashable {
        /// Index of the largest encoding to send, from the smallest; `Int.max`: the largest that arrives.
        package var maximum: Int
        /// Bit rate of the chosen encoding and the audio.
        package var used: Bitrate
        /// Bit rate at which the largest encoding would be sent. The path is probed up to it.
        package var wanted: Bitrate
    }

    /// Estimate before the first measurement. The first probes have three and six times this rate.
    package static let start = Bitrate.kilobits(1_000)
    /// Bit rate left for audio: Opus at 64 kb/s in 50 packets a second.
    private static let audio = Bitrate.kilobits(100)
    /// Time after the first choice in which the estimate is not measured yet: only a full path limits the encoding.
    private static let settling = MediaTime.seconds(2)
    /// Factor of a full path's capacity that is used: a too large encoding costs another key frame on a congested path.
    private static let whenFull = 0.6
    /// Factor of the capacity up to which the present encoding is kept, because the estimate is cautious.
    private static let tolerance = 1.1
    /// Factor of the smallest encoding, which is always sent, that passes the allocator's headroom.
    private static let least = 1.25

    private var allocator = LayerAllocator()
    private var begun: MediaTime?

    package init() {}

    /// Chooses an encoding.
    /// - Parameters:
    ///   - rates: bit rates of the encodings, from the smallest to the largest; 0 for one that does not arrive.
    ///   - path: nil if it is not measured: the largest encoding is sent.
    package mutating func choose(rates: [Bitrate], path: Path?, now: MediaTime) -> Choice {
        let active = rates.map(\.rawValue).filter { $0 > 0 }
        guard rates.count > 1, let smallest = active.first, let largest = active.max(), let path else {
            return Choice(maximum: .max, used: Bitrate(rawValue: 0), wanted: Bitrate(rawValue: 0))
        }
        let begun = begun ?? now
        self.begun = begun
        let capacity = Double(path.capacity.rawValue)
        var target = path.isFull ? capacity * Self.whenFull : Double(path.target.rawValue)
        let audio = Double(Self.audio.rawValue)
        target = max(target, (Double(smallest) + audio) * Self.least)
        if now - begun < Self.settling, !path.isFull { target = max(target, (Double(largest) + audio) * Self.least) }
        let tracks = [
            AllocatedTrack(id: 0, kind: .audio, encodings: [.init(bitrates: [Self.audio])]),
            AllocatedTrack(
                id: 1, kind: .video, encodings: rates.map { .init(isActive: $0.rawValue > 0, bitrates: [$0]) }),
        ]
        let allocation = allocator.allocate(
            tracks, target: Bitrate(saturating: target),
            capacity: Bitrate(saturating: path.isFull ? target : max(target, capacity * Self.tolerance)), now: now)
        let selected = allocation.decisions.first { $0.id == 1 }?.selection?.encoding
        return Choice(
            maximum: selected ?? rates.firstIndex { $0.rawValue > 0 } ?? 0, used: allocation.used,
            wanted: allocation.wanted)
    }
}

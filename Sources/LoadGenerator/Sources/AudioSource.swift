import CLinuxNet
import Codecs
import MediaBase
import NIOConcurrencyHelpers
import TestMedia

/// Opus encoder of the test tones: 20 ms stereo packets in real time, on one thread for all publishers.
final class AudioSource: Sendable {
    /// A packet of one tone.
    struct Packet {
        let number: Int64
        /// Time at which it was encoded, in monotonic nanoseconds.
        let ready: Int64
        let payload: [UInt8]
    }

    let toneCount: Int
    let thread = SourceThread(name: "load-audio")
    private let bitrate: Bitrate
    private let state: NIOLockedValueBox<State>

    static let samplesPerPacket = 960
    static let interval: MediaTime = .milliseconds(20)
    private static let kept: Int64 = 16

    private struct State {
        /// Packet n of tone t at `(n % kept) * toneCount + t`.
        var packets: [[UInt8]]
        var ready = [Int64](repeating: 0, count: Int(AudioSource.kept))
        var next: Int64 = 0
    }

    init(toneCount: Int, bitrate: Bitrate = .kilobits(64)) {
        self.toneCount = toneCount
        self.bitrate = bitrate
        state = NIOLockedValueBox(State(packets: Array(repeating: [], count: Int(Self.kept) * toneCount)))
    }

    /// - Parameter listener: an eventfd that is signalled with each packet.
    func start(listener: Int32) throws(LoadError) {
        try thread.start(interval: Self.interval) { [self] in
            let tones = (0..<toneCount).map { TestTone(publisher: $0) }
            let encoders = try tones.map { _ in
                try OpusEncoder(channels: 2, application: .audio, bitrate: bitrate, complexity: 5)
            }
            var number: Int64 = 0
            return { [self] skipped in
                // Late packets are encoded all the same, because RTP time would fall behind real time. Those beyond the `kept`
                // latest are skipped.
                number += max(0, skipped + 1 - Self.kept)
                for _ in 0..<min(skipped + 1, Self.kept) {
                    var packets: [[UInt8]] = []
                    for (tone, encoder) in zip(tones, encoders) {
                        let start = number * Int64(Self.samplesPerPacket)
                        packets.append(try encoder.encode(tone.block(start: start, frames: Self.samplesPerPacket)))
                    }
                    publish(packets, number: number)
                    number += 1
                }
                millrace_event_signal(listener)
            }
        }
    }

    /// Number of the next packet.
    var nextNumber: Int64 { state.withLockedValue { $0.next } }

    /// Returns packet `number` of a tone, or the oldest stored one if it is gone; nil if it is not encoded yet.
    func packet(_ number: Int64, tone: Int) -> Packet? {
        state.withLockedValue { state in
            guard number < state.next else { return nil }
            let number = max(number, state.next - Self.kept)
            let index = Int(number % Self.kept)
            return Packet(
                number: number, ready: state.ready[index], payload: state.packets[index * toneCount + tone % toneCount])
        }
    }

    private func publish(_ packets: [[UInt8]], number: Int64) {
        let now = LoadClock.now
        state.withLockedValue { state in
            let index = Int(number % Self.kept)
            for (tone, packet) in packets.enumerated() { state.packets[index * toneCount + tone] = packet }
            state.ready[index] = now
            state.next = number + 1
        }
    }
}

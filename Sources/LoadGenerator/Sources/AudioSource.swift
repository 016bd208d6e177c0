import CLinuxNet
import Codecs
import MediaBase
import TestMedia

/// Opus encoder of the test tones: 20 ms stereo packets in real time, on one thread for all publishers.
final class AudioSource: Sendable {
    /// Packets of all tones for the same 20 ms.
    struct Packets: SourceItem {
        let number: Int64
        let ready: Int64
        /// Opus packets by tone.
        let payloads: [[UInt8]]
    }

    let toneCount: Int
    let thread = LoadThread(name: "load-audio")
    let latest = SourceRing<Packets>(capacity: 16)

    private static let samplesPerPacket = 960
    static let interval: MediaTime = .milliseconds(20)

    init(toneCount: Int) { self.toneCount = toneCount }

    /// - Parameter listener: an eventfd that is signalled with each packet.
    func start(listener: Int32) throws(LoadError) {
        try thread.start(every: Self.interval) { [self] in
            let tones = (0..<toneCount).map { TestTone(publisher: $0) }
            let encoders = try tones.map { _ in
                try OpusEncoder(channels: 2, application: .audio, bitrate: .kilobits(64), complexity: 5)
            }
            var number: Int64 = 0
            return { [self] skipped in
                // Late packets are encoded all the same, because RTP time would fall behind real time. Those beyond the latest ones
                // that are stored are skipped.
                number += max(0, skipped + 1 - latest.capacity)
                for _ in 0..<min(skipped + 1, latest.capacity) {
                    let start = number * Int64(Self.samplesPerPacket)
                    let payloads = try zip(tones, encoders).map { tone, encoder in
                        try encoder.encode(tone.block(start: start, frames: Self.samplesPerPacket))
                    }
                    latest.add(Packets(number: number, ready: LoadClock.now, payloads: payloads))
                    number += 1
                }
                millrace_event_signal(listener)
            }
        }
    }
}

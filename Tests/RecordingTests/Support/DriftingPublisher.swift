import MediaBase
import MillraceTestKit
import RTP

/// A publisher whose clock is fast or slow. Each packet has its time of capture, by the true clock, in its last eight bytes.
struct DriftingPublisher {
    /// Clock error in parts per million; positive if the clock is fast.
    var drift: Double
    var start: MediaTime
    var duration: MediaTime
    var seed: UInt64
    /// Times from the start during which packets are delayed by `congestion`.
    var congested: ClosedRange<MediaTime> = .zero ... .zero
    var congestion: MediaTime = .milliseconds(300)
    /// Time from the start at which all that was captured before arrives at once, as an encoder sends what it gathered while it started.
    var burst: MediaTime = .zero
    /// Seconds of media that are sent in a second of a burst.
    var burstSpeed = 100.0
    /// Time from the start during which both kinds have ten packets a second.
    var dense: MediaTime = .zero
    /// Times from the start in which nothing is captured.
    var pause: Range<MediaTime> = .zero ..< .zero
    /// RTP time of a time from the start, before the drift.
    var clock: (MediaTime) -> MediaTime = { $0 }

    /// Delay from capture to the relay, without jitter; an encoder delays video.
    private static let delay: [MediaKind: MediaTime] = [.audio: .milliseconds(20), .video: .milliseconds(60)]

    /// Returns packets in order of arrival: audio five times a second in the first minute and then every four seconds, video every eight seconds. Of each
    /// hundred packets of each kind, five are lost; each packet of video is a frame. Packets of a burst keep their order.
    func packets() -> [TestStream.Packet] {
        var random = SeededGenerator(seed: seed)
        var packets: [TestStream.Packet] = []
        for (kind, step) in [(MediaKind.audio, Int64(4_000)), (.video, 8_000)] {
            var sequence: Int64 = 1_000
            var captured: MediaTime = .zero
            while captured < duration {
                let isLost = random.below(100) < 5
                let jitter = isLost ? 0 : random.below(10_000)
                if !pause.contains(captured) {
                    if !isLost { packets.append(packet(kind, sequence, captured, jitter: jitter)) }
                    sequence += 1
                }
                captured += .milliseconds(
                    captured < dense ? 100 : kind == .audio && captured < .seconds(60) ? 200 : step)
            }
        }
        return packets.sorted { $0.arrival < $1.arrival }
    }

    private func packet(_ kind: MediaKind, _ sequence: Int64, _ captured: MediaTime, jitter: Int) -> TestStream.Packet {
        let local = drifted(captured)
        let ticks = Int64((drifted(clock(captured)).seconds * Double(kind.clockRate)).rounded())
        let slow = congested.contains(captured) && captured > .zero ? congestion : .zero
        let gathered = burst == .zero ? .zero : burst + .seconds(captured.seconds / burstSpeed)
        let late = gathered > captured ? gathered - captured : slow + .microseconds(Int64(jitter))
        let arrival = start + captured + (Self.delay[kind] ?? .zero) + late
        // A packet of one Opus frame of 20 ms, and a key frame of VP8 in one packet.
        var payload = kind == .audio ? [0x78] : ForgedPayload.keyFrame(width: 16, height: 16, rest: 0)
        let time = UInt64((start + captured).rawValue)
        payload += (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
        return TestStream.Packet(
            kind: kind, sequence: sequence, timestamp: ticks + (kind == .audio ? 77_777 : 90_123), marker: true,
            arrival: arrival,
            captureNTP: NTPTime(rawValue: 0xe000_0000_0000_0000 &+ seed << 32).advanced(by: local).rawValue,
            payload: payload, frame: 0)
    }

    private func drifted(_ time: MediaTime) -> MediaTime {
        .nanoseconds(Int64(Double(time.rawValue) * (1 + drift / 1e6)))
    }

    /// Returns the time of capture of a frame.
    static func captureTime(of frame: [UInt8]) -> MediaTime {
        .nanoseconds(frame.suffix(8).reduce(0) { $0 << 8 | Int64($1) })
    }
}

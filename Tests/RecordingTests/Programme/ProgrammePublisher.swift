import MediaBase
import MillraceTestKit
import RTP

@testable import Recording

/// A publisher in virtual time, whose clock may be fast or slow, behind a network with jitter. Each video frame has the publisher's number and
/// its time of capture, by the true clock from the start of the run, in its last nine bytes.
struct ProgrammePublisher {
    var number: UInt8
    /// Clock error in parts per million; positive if the clock is fast.
    var drift = 0.0
    /// Maximum jitter in microseconds.
    var jitter = 0
    /// Whether the publisher sends sender reports.
    var hasReports = true
    /// Audio level of each packet in -dBov; nil sends none.
    var level: UInt8?

    var name: String { "cam\(number)" }
    private static let delay: [MediaKind: MediaTime] = [.audio: .milliseconds(30), .video: .milliseconds(90)]

    /// Returns audio packets that begin at a time.
    func audio(_ payloads: [[UInt8]], at start: MediaTime = .zero, firstSequence: Int64 = 500) -> [ProgrammeRun.Arrival]
    {
        var random = SeededGenerator(seed: UInt64(number) &* 7_919 &+ UInt64(start.rawValue))
        return payloads.enumerated().map { index, payload in
            packet(
                .audio, firstSequence + Int64(index), start + .milliseconds(Int64(index) * 20), payload,
                delay: random.below(jitter + 1))
        }
    }

    /// Returns video frames at a steady rate.
    /// - Parameters:
    ///   - interval: time between two frames.
    ///   - isKeyFrame: whether the frame at a time is a key frame.
    func video(
        from start: MediaTime = .zero, until end: MediaTime, interval: MediaTime = .milliseconds(40),
        isKeyFrame: (MediaTime) -> Bool = { _ in true }
    ) -> [ProgrammeRun.Arrival] {
        var random = SeededGenerator(seed: UInt64(number) &* 104_729)
        var arrivals: [ProgrammeRun.Arrival] = []
        var time = start
        while time < end {
            let mark = [number] + (0..<8).map { UInt8(truncatingIfNeeded: time.rawValue >> (56 - 8 * Int64($0))) }
            // Frames of VP8 in one packet (RFC 7741 section 4.2, RFC 6386 section 9.1).
            let frame = isKeyFrame(time) ? ForgedPayload.keyFrame(width: 16, height: 16, rest: 0) : [0x10, 0x11, 0, 0]
            arrivals.append(
                packet(.video, 9_000 + Int64(arrivals.count), time, frame + mark, delay: random.below(jitter + 1)))
            time += interval
        }
        return arrivals
    }

    private func packet(
        _ kind: MediaKind, _ sequence: Int64, _ captured: MediaTime, _ payload: [UInt8], delay: Int
    ) -> ProgrammeRun.Arrival {
        let local = MediaTime.nanoseconds(Int64(Double(captured.rawValue) * (1 + drift / 1e6)))
        let wallClock = NTPTime(rawValue: 0xe000_0000_0000_0000 &+ UInt64(number) << 40)
        return ProgrammeRun.Arrival(
            stream: name,
            packet: TestStream.Packet(
                kind: kind, sequence: sequence,
                timestamp: Int64((local.seconds * Double(kind.clockRate)).rounded()) + Int64(number) * 1_234_567,
                marker: kind == .video,
                arrival: ProgrammeRun.start + captured + (Self.delay[kind] ?? .zero) + .microseconds(Int64(delay)),
                captureNTP: hasReports ? wallClock.advanced(by: local).rawValue : nil, payload: payload, frame: 0),
            level: kind == .audio ? level : nil)
    }

    /// Returns the publisher of a frame.
    static func number(of frame: ProgrammeRun.Frame) -> UInt8 { frame.bytes.suffix(9).first ?? 0 }

    /// Returns the time of capture of a frame.
    static func captureTime(of frame: ProgrammeRun.Frame) -> MediaTime {
        .nanoseconds(frame.bytes.suffix(8).reduce(0) { $0 << 8 | Int64($1) })
    }
}

extension [ProgrammeRun.Arrival] {
    /// Returns all packets in order of arrival.
    var sorted: [ProgrammeRun.Arrival] {
        enumerated().sorted { ($0.element.packet.arrival, $0.offset) < ($1.element.packet.arrival, $1.offset) }
            .map(\.element)
    }
}

import MediaBase
import RTP

/// A receiver's bandwidth estimate of its path, for the REMB that it sends (draft-alvestrand-rmcat-remb-03): the estimate of
/// draft-ietf-rmcat-gcc-02 section 5.5, as made by receivers that only have abs-send-time. Growing delay lowers it to 85 % of the
/// incoming rate; otherwise it rises by 8 % a second, up to 1.5 times the incoming rate.
struct ReceiverEstimate {
    private static let tick = MediaTime.milliseconds(100)
    private static let start = 300_000.0
    private static let backOff = 0.85
    private static let growth = 1.08
    private static let believed = 1.5
    private static let slack = 10_000.0
    /// Change of the delay over two ticks that shows a queue building up or draining.
    private static let noticeable = MediaTime.milliseconds(12)
    /// Ticks between two REMBs while the estimate does not fall.
    private static let spacing = 10

    private var estimate = Self.start
    /// Bytes received in each tick of the last second.
    private var slots = InlineArray<10, Int>(repeating: 0)
    private var slot = 0
    /// Smoothed one-way delay relative to an unknown constant, now and at the last two ticks.
    private var delay: MediaTime?
    private var before: (MediaTime?, MediaTime?)
    private var last: (sent: AbsoluteSendTime, arrival: MediaTime, delay: MediaTime)?
    private var next: MediaTime?
    private var ticks = 0

    /// Time at which to call `take(now:)`; nil before the first packet.
    var deadline: MediaTime? { next }

    mutating func receive(bytes: Int, sent: AbsoluteSendTime?, now: MediaTime) {
        next = next ?? now + Self.tick
        slots[slot] = min(slots[slot] + bytes, 1 << 30)
        guard let sent else { return }
        let sample =
            last.map { $0.delay + (now - $0.arrival) - sent.distance(from: $0.sent) } ?? .zero
        last = (sent, now, sample)
        delay = delay.map { MediaTime(rawValue: $0.rawValue + (sample - $0).rawValue / 4) } ?? sample
    }

    /// - Returns: the rate to report now, if one is due.
    mutating func take(now: MediaTime) -> Bitrate? {
        guard let due = next, now >= due else { return nil }
        next = now + Self.tick
        ticks += 1
        let change = delay.flatMap { delay in before.0.map { delay - $0 } } ?? .zero
        before = (before.1, delay)
        var sum = 0
        for index in slots.indices { sum += slots[index] }
        let incoming = Double(sum) * 8
        slot = (slot + 1) % slots.count
        slots[slot] = 0
        if change > Self.noticeable {
            let lowered = min(estimate, Self.backOff * incoming)
            let isLower = lowered < 0.97 * estimate
            estimate = lowered
            guard isLower else { return nil }
            ticks = 0
            return Bitrate(saturating: estimate)
        }
        if change > .zero - Self.noticeable {
            let grown = estimate * (1 + (Self.growth - 1) * Self.tick.seconds)
            estimate = max(estimate, min(grown, Self.believed * incoming + Self.slack))
        }
        guard ticks >= Self.spacing else { return nil }
        ticks = 0
        return Bitrate(saturating: estimate)
    }
}

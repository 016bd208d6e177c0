import MediaBase

/// State of the path to a peer without transport-wide feedback, according to the peer: the rate that it allows by REMB
/// (draft-alvestrand-rmcat-remb-03), and probes judged by REMB and by the loss in receiver reports.
///
/// REMB is an upper bound. A receiver raises it by some 8 % per second, and to no more than 1.5 times the received rate
/// (draft-ietf-rmcat-gcc-02 section 5.5). With REMB alone, a path that widened from 150 kb/s to 10 Mb/s would carry no video for half a
/// minute. The rate of a probe after which REMB rose therefore counts as well, until REMB falls, stops rising, or loss shows a limit.
struct ReportedPath {
    /// REMB below this fraction of its peak shows a limit: receivers lower it to 85 % of the received rate.
    private static let fall = 0.95
    /// REMB below this fraction of the sending rate shows a limit with certainty: less arrived than was sent.
    private static let deepFall = 0.7
    /// Minimum time until a second fall confirms a smaller one. A single smaller fall may come from a delay at the receiver; on a full path
    /// another one follows, or REMB stays low.
    private static let shortestDoubt = MediaTime.milliseconds(250)
    private static let longestDoubt = MediaTime.seconds(2)
    /// REMB above this factor of its value after the fall is rising again.
    private static let rise = 1.01
    /// Unexplained loss that makes a probe fail.
    private static let probeLoss = 0.03
    /// Time after a probe in which it is judged. Loss and a lower REMB in this time are attributed to the probe.
    private static let echo = MediaTime.milliseconds(1_500)
    /// Time for which a limit counts as present: slightly more than the interval of receiver reports.
    private static let presence = MediaTime.milliseconds(1_250)
    /// Time after a limit was shown in which reports still cover packets sent before it.
    private static let settling = MediaTime.milliseconds(1_200)
    /// Minimum time from a limit to the next probe, for the queue to drain.
    private static let calm = MediaTime.milliseconds(1_500)
    /// Time without a rise after which REMB is the receiver's limit: three intervals of receiver reports.
    private static let stall = MediaTime.seconds(3)
    /// Factor of REMB up to which sending above it need not make it rise.
    private static let excess = 1.2
    /// Time for which a limit is assumed if no probes can be sent. It doubles if the path shows the limit again within `relapse`.
    private static let shortestHold = MediaTime.seconds(4)
    private static let longestHold = MediaTime.seconds(16)
    private static let relapse = MediaTime.seconds(10)

    /// Number of unanswered probes in a row after which a peer that has sent no REMB gets no more.
    private static let unansweredAtMost = 3

    private struct Trial {
        /// Rate of the probe in bits per second, media included.
        let rate: Double
        let end: MediaTime
        let remb: Double?
    }

    /// Fall of REMB below the sending rate that is too small to be certainly the path's limit.
    private struct Doubt {
        let start: MediaTime
        let remb: Double
    }

    /// Latest REMB in bits per second; nil before the peer sent one.
    private(set) var remb: Double?
    private(set) var rembAt = MediaTime.zero
    /// Sending rate at which the path showed its limit, in bits per second; nil if it showed none, or carries as much again.
    private(set) var held: Double?
    /// True if the path showed its limit recently.
    private(set) var isFull = false
    /// Highest rate of the probes that passed, in bits per second.
    private var passed: Double?
    /// Time when the path last showed its limit.
    private(set) var shownAt: MediaTime?
    private var trial: Trial?
    private var probedUntil: MediaTime?
    /// Number of probes in a row after which neither REMB nor a receiver report came in time.
    private var unanswered = 0
    /// Highest REMB since its last fall; `roseAt` is the time when REMB rose above it or a probe passed.
    private var peak = 0.0
    private var roseAt = MediaTime.zero
    private var doubt: Doubt?
    private var hold = Self.shortestHold
    private var releasedAt: MediaTime?

    /// Returns the rate that the path carries in bits per second, or nil if the peer sent no REMB and no probe passed.
    /// - Parameter unknown: rate to assume of a peer that sends no REMB.
    func rate(unknown: Double) -> Double? {
        remb.map { max($0, passed ?? 0) } ?? passed.map { max($0, unknown) }
    }

    /// Handles REMB.
    /// - Parameter sending: sending rate in bits per second, without probes.
    /// - Returns: the rate of a probe that passed.
    mutating func receive(remb allowed: Double, sending: Double, roundTrip: MediaTime?, now: MediaTime) -> Double? {
        let before = remb ?? .infinity
        remb = allowed
        rembAt = now
        unanswered = 0
        let hasFallen = allowed < Self.fall * peak
        if sending <= allowed { doubt = nil }
        if sending > allowed, !isProbed(now: now), isLimit(allowed, before: before, hasFallen, sending, now: now) {
            show(at: sending, now: now)
        }
        if hasFallen {
            peak = allowed
            passed = nil
            trial = nil
            return nil
        }
        if allowed > peak {
            peak = allowed
            roseAt = now
        }
        guard let trial, now >= trial.end + (roundTrip ?? .milliseconds(100)), allowed > trial.remb ?? .infinity else {
            return nil
        }
        return pass(trial, now: now)
    }

    /// Returns whether REMB below the sending rate shows a limit of the path.
    private mutating func isLimit(
        _ allowed: Double, before: Double, _ hasFallen: Bool, _ sending: Double, now: MediaTime
    ) -> Bool {
        if hasFallen, allowed < Self.deepFall * sending { return true }
        guard let doubt else {
            if hasFallen { self.doubt = Doubt(start: now, remb: allowed) }
            return false
        }
        let age = now - doubt.start
        if age <= Self.longestDoubt { return age >= Self.shortestDoubt && allowed < before }
        if allowed <= Self.rise * doubt.remb { return true }
        self.doubt = hasFallen ? Doubt(start: now, remb: allowed) : nil
        return false
    }

    /// Handles the loss in the receiver reports of about a second.
    /// - Parameter excess: fraction of packets lost beyond the explained loss.
    /// - Returns: the rate of a probe that passed.
    mutating func receive(loss excess: Double, roundTrip: MediaTime?, now: MediaTime) -> Double? {
        guard let trial else { return nil }
        guard excess <= Self.probeLoss else {
            self.trial = nil
            unanswered = 0
            return nil
        }
        // If REMB allows this rate already, or the peer sends none, REMB need not rise. A path that drops the excess does not make the
        // receiver lower it.
        guard remb.map({ $0 >= trial.rate }) ?? true, now >= trial.end + (roundTrip ?? .milliseconds(100)) else {
            return nil
        }
        return pass(trial, now: now)
    }

    private mutating func pass(_ trial: Trial, now: MediaTime) -> Double {
        self.trial = nil
        unanswered = 0
        passed = max(passed ?? 0, trial.rate)
        roseAt = now
        return trial.rate
    }

    /// Records that the path showed that it cannot carry `sending` bits per second.
    mutating func show(at sending: Double, now: MediaTime) {
        held = max(held ?? 0, sending)
        passed = nil
        trial = nil
        isFull = true
        shownAt = now
        doubt = nil
        guard let releasedAt else { return }
        hold = now - releasedAt < Self.relapse ? min(hold + hold, Self.longestHold) : Self.shortestHold
        self.releasedAt = nil
    }

    /// Ends a limit that is at or below the current estimate, in bits per second.
    mutating func reach(_ capacity: Double) {
        if let held, capacity >= held { self.held = nil }
    }

    /// Records the start of a probe.
    mutating func begin(rate: Double, for duration: MediaTime, now: MediaTime) {
        trial = Trial(rate: rate, end: now + duration, remb: remb)
        probedUntil = now + duration
    }

    /// Returns true if a probe is in progress, or may still affect the peer's reports.
    func isProbed(now: MediaTime) -> Bool { probedUntil.map { now < $0 + Self.echo } ?? false }

    /// Returns true if reported losses may still be of packets sent when the path showed its limit.
    func isSettling(now: MediaTime) -> Bool { shownAt.map { now - $0 < Self.settling } ?? false }

    /// Returns true if a probe can be sent: none is pending, and the queue has had time to drain.
    func isCalm(now: MediaTime) -> Bool { trial == nil && shownAt.map { now - $0 >= Self.calm } ?? true }

    /// True if probes show nothing, because the peer negotiated REMB and sends neither REMB nor reports.
    var isUnanswered: Bool { remb == nil && unanswered >= Self.unansweredAtMost }

    /// Handles elapsed time.
    /// - Parameters:
    ///   - sending: sending rate in bits per second, without probes.
    ///   - canProbe: if false, a limit ends by time alone.
    /// - Returns: a rate to try again, if the limit may have disappeared.
    mutating func handleTimeout(sending: Double, canProbe: Bool, now: MediaTime) -> Double? {
        if let end = trial?.end, now - end > Self.echo {
            trial = nil
            unanswered += 1
        }
        if let shownAt, now - shownAt > Self.presence { isFull = false }
        if let remb, let passed, passed > remb, sending > Self.excess * remb, now - roseAt > Self.stall,
            now - rembAt < Self.stall
        {
            show(at: sending, now: now)
        }
        guard let held, !canProbe, let shownAt, now - shownAt > hold else { return nil }
        self.held = nil
        releasedAt = now
        roseAt = now
        passed = max(passed ?? 0, held * 1.25)
        return passed
    }

    /// Multiplies REMB by a factor until the peer sends the next one.
    mutating func lower(by factor: Double) {
        remb = remb.map { $0 * factor }
        passed = passed.map { $0 * factor }
        peak = remb ?? 0
    }
}

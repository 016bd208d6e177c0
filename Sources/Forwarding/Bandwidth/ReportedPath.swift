import MediaBase

/// The path to a peer that acknowledges no single packets, as the peer itself describes it: the rate that it allows by REMB
/// (draft-alvestrand-rmcat-remb-03), and probes judged by REMB and by the loss in receiver reports.
///
/// REMB is an upper bound. A receiver that is sent little raises it by some 8 % a second, and to no more than 1.5 times what arrives
/// (draft-ietf-rmcat-gcc-02 section 5.5), so that a path that widened from 150 kb/s to 10 Mb/s would carry no video for half a minute. The rate
/// of a probe after which REMB rose therefore counts as well, until REMB falls, stops rising, or loss shows a limit.
struct ReportedPath {
    /// REMB below this part of its highest value shows a limit: receivers go down to 85 % of what arrives.
    private static let fall = 0.95
    /// REMB that falls below this part of what is sent leaves no doubt: less arrived than was sent.
    private static let deepFall = 0.7
    /// One smaller fall may come from a delay on the receiver's own side. On a path that is full another follows, or REMB stays low.
    private static let shortestDoubt = MediaTime.milliseconds(250)
    private static let longestDoubt = MediaTime.seconds(2)
    /// Above this part of the value after the fall REMB rises again.
    private static let rise = 1.01
    /// Loss beyond what is explained that makes a probe a failure.
    private static let probeLoss = 0.03
    /// Time after a probe in which it is judged, and in which loss and a lower REMB are its own doing.
    private static let echo = MediaTime.milliseconds(1_500)
    /// Time for which a limit counts as present: a little more than from one receiver report to the next.
    private static let presence = MediaTime.milliseconds(1_250)
    /// Time after a limit was shown in which reports tell of what was sent before.
    private static let settling = MediaTime.milliseconds(1_200)
    /// Time that the queue of a full path gets to drain before a probe.
    private static let calm = MediaTime.milliseconds(1_500)
    /// Receivers report once a second; REMB that does not rise in three of these is the receiver's limit.
    private static let stall = MediaTime.seconds(3)
    /// Part of REMB by which sending may exceed it without having to make it rise.
    private static let excess = 1.2
    /// How long a limit counts if no probe can tell that it is over. Doubled if the path shows it again soon after.
    private static let shortestHold = MediaTime.seconds(4)
    private static let longestHold = MediaTime.seconds(16)
    private static let relapse = MediaTime.seconds(10)

    private struct Trial {
        /// Bits a second, media included.
        let rate: Double
        let end: MediaTime
        let remb: Double?
    }

    /// REMB fell below what is sent, but not so far that it must be the path's limit.
    private struct Doubt {
        let start: MediaTime
        let remb: Double
    }

    /// Bits a second; nil before the peer sent one.
    private(set) var remb: Double?
    private(set) var rembAt = MediaTime.zero
    /// Sending rate at which the path showed its limit, bits a second; nil: it showed none, or carries as much again.
    private(set) var held: Double?
    /// The path showed its limit of late.
    private(set) var isFull = false
    /// Highest rate of the probes that passed, bits a second.
    private var passed: Double?
    /// When it did so last.
    private(set) var shownAt: MediaTime?
    private var trial: Trial?
    private var probedUntil: MediaTime?
    /// Highest REMB since it fell last, and when it or a probe went beyond what was known.
    private var peak = 0.0
    private var roseAt = MediaTime.zero
    private var doubt: Doubt?
    private var hold = Self.shortestHold
    private var releasedAt: MediaTime?

    /// Rate that the path carries, bits a second; nil: the peer sent no REMB and no probe passed.
    /// - Parameter unknown: rate to assume of a peer that sends no REMB.
    func rate(unknown: Double) -> Double? {
        remb.map { max($0, passed ?? 0) } ?? passed.map { max($0, unknown) }
    }

    /// - Parameter sending: bits a second, without probes.
    /// - Returns: the rate of a probe that passed.
    mutating func receive(remb allowed: Double, sending: Double, roundTrip: MediaTime?, now: MediaTime) -> Double? {
        let before = remb ?? .infinity
        remb = allowed
        rembAt = now
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

    /// Whether REMB below what is sent shows a limit of the path.
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

    /// Takes the loss of the receiver reports of about a second.
    /// - Parameter excess: share of the packets, beyond what a full path does not explain.
    /// - Returns: the rate of a probe that passed.
    mutating func receive(loss excess: Double, roundTrip: MediaTime?, now: MediaTime) -> Double? {
        guard let trial else { return nil }
        guard excess <= Self.probeLoss else {
            self.trial = nil
            return nil
        }
        // If REMB allows as much, or the peer sends none, it need not rise: a path that drops what it does not carry makes no receiver lower it.
        guard remb.map({ $0 >= trial.rate }) ?? true, now >= trial.end + (roundTrip ?? .milliseconds(100)) else {
            return nil
        }
        return pass(trial, now: now)
    }

    private mutating func pass(_ trial: Trial, now: MediaTime) -> Double {
        self.trial = nil
        passed = max(passed ?? 0, trial.rate)
        roseAt = now
        return trial.rate
    }

    /// The path showed that it does not carry `sending`, bits a second.
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

    /// The estimate is this many bits a second: a limit below it is over.
    mutating func reach(_ capacity: Double) {
        if let held, capacity >= held { self.held = nil }
    }

    /// A probe begins.
    mutating func begin(rate: Double, for duration: MediaTime, now: MediaTime) {
        trial = Trial(rate: rate, end: now + duration, remb: remb)
        probedUntil = now + duration
    }

    /// A probe is under way, or may still show in what the peer says.
    func isProbed(now: MediaTime) -> Bool { probedUntil.map { now < $0 + Self.echo } ?? false }

    /// Lost packets may still be packets that were sent when the path showed its limit.
    func isSettling(now: MediaTime) -> Bool { shownAt.map { now - $0 < Self.settling } ?? false }

    /// A probe would measure the path and not what fills it.
    func isCalm(now: MediaTime) -> Bool { trial == nil && shownAt.map { now - $0 >= Self.calm } ?? true }

    /// - Parameters:
    ///   - sending: bits a second, without probes.
    ///   - canProbe: false: time alone ends a limit.
    /// - Returns: a rate to try again, because the limit may be over.
    mutating func handleTimeout(sending: Double, canProbe: Bool, now: MediaTime) -> Double? {
        if let end = trial?.end, now - end > Self.echo { trial = nil }
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

    /// Lowers what the peer allowed by a factor, until it says so again.
    mutating func lower(by factor: Double) {
        remb = remb.map { $0 * factor }
        passed = passed.map { $0 * factor }
        peak = remb ?? 0
    }
}

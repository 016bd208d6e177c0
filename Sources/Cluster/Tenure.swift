import MediaBase

/// Right of a relay to run the rules of its sessions. It lasts as long as the lease in the store, measured by the relay's own clock from the
/// time at which the last answered heartbeat was sent.
///
/// The right continues without a lease if the store is down for all relays. Reports of a majority would not be sufficient: the relay itself may
/// have lost the store first, so that another took its sessions over before the store went down; and of two relays, or of a majority, those that
/// reach the store again first could take over while this relay still relies on their last reports. The rules are therefore:
///
/// - Every other relay of the table has said that it does not reach the store, before this relay's lease ended in the store. A relay says so
///   only if its own last answered heartbeat is older than half a lease, from when on it sends no claims, and if no claim of it is under way. So
///   none of them has taken a session over.
/// - Since then the reports have not been interrupted for longer than `validity`.
/// - A relay that reaches the store again reports it at once, and sends no claim before the reports of the time before have become invalid
///   (`ClusterMember.claimsFrom`).
///
/// In all other cases the relay stops until it reaches the store. One exception remains: a relay of which this one has not heard within
/// `ClusterSettings.forgetTime`, such as one with a new id, is not asked. It can take over if it reaches the store while this relay does not.
struct Tenure: Sendable {
    /// Uninterrupted answers of a relay that it does not reach the store.
    private struct Report: Sendable {
        let first: MediaTime
        var last: MediaTime
    }

    /// Time at which the last answered heartbeat was sent; nil before the first.
    private(set) var sent: MediaTime?
    /// End of the lease, less the margin.
    private(set) var end = MediaTime.zero
    /// Earliest time at which the lease can have ended in the store.
    private var leaseEnd = MediaTime.zero
    /// Reports since the last answered heartbeat.
    private var reports: [RelayID: Report] = [:]
    private let settings: ClusterSettings

    init(settings: ClusterSettings) { self.settings = settings }

    /// Time for which a report is valid.
    private var validity: MediaTime { settings.beatInterval + settings.beatInterval }

    /// Age of the last answered heartbeat from which on the relay sends no claims.
    private var freshTime: MediaTime { MediaTime(rawValue: settings.leaseTime.rawValue / 2) }

    /// End of the time in which the relay may send claims; later, it asks the other relays.
    var freshEnd: MediaTime { sent.map { $0 + freshTime } ?? .never }

    mutating func renew(sent: MediaTime) {
        self.sent = max(self.sent ?? sent, sent)
        leaseEnd = max(leaseEnd, sent + settings.leaseTime)
        end = max(end, sent + settings.leaseTime - settings.leaseMargin)
        reports = [:]
    }

    func isHeld(_ now: MediaTime) -> Bool { now < end }

    func isFresh(_ now: MediaTime) -> Bool { sent.map { now - $0 <= freshTime } ?? false }

    mutating func note(_ relay: RelayID, reachesStore: Bool, now: MediaTime) {
        if reachesStore {
            reports[relay] = nil
        } else if let report = reports[relay], now - report.last <= validity {
            reports[relay]?.last = now
        } else {
            reports[relay] = Report(first: now, last: now)
        }
    }

    /// Returns whether all relays have reported in time, and without interruption, that they do not reach the store. This relay is one of them:
    /// if its process was stopped, its reports are interrupted.
    func isStoreDown(_ relays: [RelayID], _ now: MediaTime) -> Bool {
        relays.allSatisfy { relay in
            guard let report = reports[relay] else { return false }
            return report.first <= leaseEnd && now - report.last <= validity
        }
    }

    /// Time for which a relay that reaches the store again sends no claims: reports of the time before, which may be `beatInterval` old when
    /// they arrive, are invalid then.
    var claimDelay: MediaTime { max(settings.leaseTime, validity + validity) }

    /// Returns whether the lease of a relay, which was silent for `silence` when the store carried a heartbeat out that was sent at `sent`, ends
    /// in the store later than every report of the time before `now` becomes invalid.
    func outlastsReports(silence: MediaTime, sent: MediaTime, now: MediaTime) -> Bool {
        silence + (now - sent) + validity + settings.beatInterval <= settings.leaseTime
    }
}

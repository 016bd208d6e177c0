import MediaBase
import NIOConcurrencyHelpers
import Signaling

/// Rate limit of issue reports (ISS-1), across sessions: a client that joins again still counts as the same client, so that its reports
/// cannot displace those of other clients.
final class ReportGuard: Sendable {
    static let key = "limit.issueSeconds"

    private let interval: MediaTime
    private let capacity: Int
    /// Time from which each client may report again.
    private let times = NIOLockedValueBox<[String: MediaTime]>([:])

    /// - Parameters:
    ///   - interval: minimum time between two reports of one client.
    ///   - capacity: clients that are remembered; beyond that, the one that may report earliest is forgotten.
    init(interval: MediaTime, capacity: Int = 10_000) {
        self.interval = interval
        self.capacity = max(capacity, 1)
    }

    var remembered: Int { times.withLockedValue { $0.count } }

    /// Counts a report.
    ///
    /// - Parameter client: key of the client.
    /// - Throws: `rateLimited`, with the seconds to wait; the report is then not counted.
    func admit(_ client: String, now: MediaTime) throws(SignalingError) {
        let wait = times.withLockedValue { times -> MediaTime? in
            if let time = times[client], time > now { return time - now }
            if times.count >= capacity { Self.makeSpace(in: &times, capacity, now) }
            times[client] = now + interval
            return nil
        }
        guard let wait else { return }
        throw SignalingError(
            .rateLimited, "the client reported a moment ago", limit: Self.key,
            retryAfter: Int((wait.rawValue + 999_999_999) / 1_000_000_000))
    }

    private static func makeSpace(in times: inout [String: MediaTime], _ capacity: Int, _ now: MediaTime) {
        times = times.filter { $0.value > now }
        guard times.count >= capacity, let oldest = times.min(by: { $0.value < $1.value }) else { return }
        times[oldest.key] = nil
    }
}

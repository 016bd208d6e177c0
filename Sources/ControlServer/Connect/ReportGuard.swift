import MediaBase
import NIOConcurrencyHelpers
import Signaling

/// Who may report again when (ISS-1), in all sessions: a client that joins anew is the same one, and does not put its reports in the place of
/// everybody else's.
final class ReportGuard: Sendable {
    static let key = "limit.issueSeconds"

    private let interval: MediaTime
    private let capacity: Int
    /// When each may again.
    private let times = NIOLockedValueBox<[String: MediaTime]>([:])

    /// - Parameters:
    ///   - interval: between two reports of one client.
    ///   - capacity: clients that are remembered; of more, the one that has waited longest is forgotten.
    init(interval: MediaTime, capacity: Int = 10_000) {
        self.interval = interval
        self.capacity = max(capacity, 1)
    }

    var remembered: Int { times.withLockedValue { $0.count } }

    /// Counts a report.
    ///
    /// - Parameter client: what it is told from others by.
    /// - Throws: `rateLimited`, with the seconds to wait; then it does not count.
    func admit(_ client: String, now: MediaTime) throws(SignalingError) {
        let wait = times.withLockedValue { times -> MediaTime? in
            if let time = times[client], time > now { return time - now }
            if times.count >= capacity { Self.makeRoom(in: &times, capacity, now) }
            times[client] = now + interval
            return nil
        }
        guard let wait else { return }
        throw SignalingError(
            .rateLimited, "a report was taken a moment ago", limit: Self.key,
            retryAfter: Int((wait.rawValue + 999_999_999) / 1_000_000_000))
    }

    private static func makeRoom(in times: inout [String: MediaTime], _ capacity: Int, _ now: MediaTime) {
        times = times.filter { $0.value > now }
        guard times.count >= capacity, let oldest = times.min(by: { $0.value < $1.value }) else { return }
        times[oldest.key] = nil
    }
}

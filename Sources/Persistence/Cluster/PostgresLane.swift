import Cluster
import Dispatch
import Foundation
import MediaBase
import Synchronization

/// Thread with a connection to the database, and the queue of its requests. Calls that wait for the database are made only on this thread.
final class PostgresLane: Sendable {
    private typealias Outcome = Result<StoreAnswer, StoreFailure>

    /// Longest time from a request to its answer or failure, also while the thread looks up a host's address.
    private static let timeLimit = MediaTime.seconds(5)

    private let queue: Mutex<RequestQueue<CheckedContinuation<Outcome, Never>>>
    private let wake = DispatchSemaphore(value: 0)
    /// Created in `init`, then only scheduled and cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Starts the thread, which ends after `close`.
    init(
        name: String, _ address: PostgresAddress, _ library: PostgresLibrary, _ settings: ClusterSettings,
        maximumRequests: Int
    ) {
        queue = Mutex(RequestQueue(maximumRequests: maximumRequests, timeLimit: Self.timeLimit))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "millrace.\(name).timer"))
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in self?.expire() }
        timer.resume()
        let thread = Thread { [self] in run(address, library, settings) }
        thread.name = name
        thread.start()
    }

    func perform(_ request: StoreRequest) async throws(StoreFailure) -> StoreAnswer {
        let outcome: Outcome = await withCheckedContinuation { continuation in
            switch queue.withLock({ $0.add(request, continuation, .monotonic) }) {
            case .refused(let failure): continuation.resume(returning: .failure(failure))
            case .accepted(let wakes, let deadline):
                if wakes { wake.signal() }
                if let deadline { schedule(deadline) }
            }
        }
        return try outcome.get()
    }

    /// Fails the requests that were not answered, and lets the thread end: at once, or when its attempt to connect has ended.
    func close() {
        let rest = queue.withLock { $0.close() }
        timer.cancel()
        wake.signal()
        for continuation in rest { continuation.resume(returning: .failure(RequestQueue<Void>.closed)) }
    }

    private func run(_ address: PostgresAddress, _ library: PostgresLibrary, _ settings: ClusterSettings) {
        let client = PostgresClient(
            address, library, settings, isCancelled: { [self] in queue.withLock { $0.isClosed } })
        while !queue.withLock({ $0.isClosed }) {
            guard let work = queue.withLock({ $0.take() }) else {
                wake.wait()
                continue
            }
            let outcome = client.perform(work.request)
            queue.withLock { $0.finish(work.number) }?.resume(returning: outcome)
        }
    }

    private func expire() {
        let (expired, deadline) = queue.withLock { $0.expire(.monotonic) }
        for continuation in expired {
            continuation.resume(
                returning: .failure(StoreFailure("the database did not answer within \(Self.timeLimit)")))
        }
        if let deadline { schedule(deadline) }
    }

    private func schedule(_ deadline: MediaTime) {
        timer.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(clamping: deadline.rawValue)))
    }
}

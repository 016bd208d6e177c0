import Cluster
import Dispatch
import Foundation
import MediaBase
import Synchronization

/// Thread with a connection to the database, and the queue of its requests. Calls that wait for the database are made only on this thread.
final class PostgresLane<Request: Sendable, Answer: Sendable>: Sendable {
    /// Failures are a `PostgresError` or a `StoreFailure`.
    private typealias Outcome = Result<Answer, any Error>
    /// Carries a request out. The number is larger than that of each earlier request, and the same if the request is repeated.
    typealias Work = @Sendable (PostgresConnection, Request, _ number: Int64) throws -> Answer

    /// Longest time from a request to its answer or failure, also while the thread looks up a host's address.
    private static var timeLimit: MediaTime { .seconds(5) }

    private let queue: Mutex<RequestQueue<Request, CheckedContinuation<Outcome, Never>>>
    private let wake = DispatchSemaphore(value: 0)
    /// Created in `init`, then only scheduled and cancelled.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Starts the thread, which ends after `close`.
    /// - Parameter prepare: called with each new connection.
    init(
        name: String, _ address: PostgresAddress, _ library: PostgresLibrary, maximumRequests: Int,
        prepare: @escaping PostgresClient.Preparation, work: @escaping Work
    ) {
        queue = Mutex(RequestQueue(maximumRequests: maximumRequests, timeLimit: Self.timeLimit))
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "millrace.\(name).timer"))
        timer.schedule(deadline: .distantFuture)
        timer.setEventHandler { [weak self] in self?.expire() }
        timer.resume()
        let thread = Thread { [self] in
            let client = PostgresClient(
                address, library, isCancelled: { [self] in queue.withLock { $0.isClosed } }, prepare: prepare)
            run(client, work)
        }
        thread.name = name
        thread.start()
    }

    func perform(_ request: Request) async throws -> Answer {
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
        for continuation in rest { continuation.resume(returning: .failure(StoreFailure.closed)) }
    }

    private func run(_ client: PostgresClient, _ work: Work) {
        var latest: Int64 = 0
        while !queue.withLock({ $0.isClosed }) {
            guard let next = queue.withLock({ $0.take() }) else {
                wake.wait()
                continue
            }
            // By the clock, so that the numbers of another lane in this process, or of a later one, do not begin again at 1.
            let number = max(latest + 1, MediaTime.monotonic.rawValue)
            latest = number
            let outcome = Result { try client.run { try work($0, next.request, number) } }
            queue.withLock { $0.finish(next.number) }?.resume(returning: outcome)
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

import Cluster
import MediaBase
import Testing

@testable import Persistence

/// Queue of a connection to the cluster's store, and the times of its attempts to connect, in virtual time.
@Suite struct RequestQueueTests {
    private func queue(_ maximumRequests: Int = 3) -> RequestQueue<StoreRequest, Int> {
        RequestQueue(maximumRequests: maximumRequests, timeLimit: .seconds(5))
    }

    /// Adds a request that is recognized by its limit, and returns whether it was accepted.
    private func add(_ number: Int, to queue: inout RequestQueue<StoreRequest, Int>, at now: MediaTime = .zero) -> Bool
    {
        if case .accepted = queue.add(.list(limit: number), number, now) { true } else { false }
    }

    @Test("requests are carried out in order, and beyond the limit they are refused until one is answered")
    func order() {
        var queue = queue()
        #expect((0..<4).map { add($0, to: &queue) } == [true, true, true, false])
        let first = queue.take()
        #expect(first?.request == .list(limit: 0))
        #expect(queue.finish(first!.number) == 0)
        #expect(add(4, to: &queue))
        #expect((0..<3).map { _ in queue.take()?.request } == [1, 2, 4].map { .list(limit: $0) })
        #expect(queue.take() == nil)
    }

    @Test("a request wakes the thread only if it waits")
    func wakes() {
        var queue = queue()
        func wakes() -> Bool? {
            if case .accepted(let wakes, _) = queue.add(.list(limit: 0), 0, .zero) { wakes } else { nil }
        }
        #expect(wakes() == false)
        _ = queue.take()
        #expect(queue.take() == nil)
        #expect(wakes() == true)
        #expect(wakes() == false)
    }

    @Test("a request expires after the time limit, also while it is carried out, and is then not carried out")
    func expiry() {
        var queue = queue()
        guard case .accepted(_, let deadline) = queue.add(.list(limit: 0), 0, .seconds(10)) else {
            Issue.record("refused")
            return
        }
        #expect(deadline == .seconds(15))
        guard case .accepted(_, let second) = queue.add(.list(limit: 1), 1, .seconds(10)) else {
            Issue.record("refused")
            return
        }
        // The call for the first request is due earlier.
        #expect(second == nil)
        #expect(add(2, to: &queue, at: .seconds(12)))
        let running = queue.take()
        var (expired, next) = queue.expire(.seconds(14))
        #expect(expired == [] && next == .seconds(15))
        (expired, next) = queue.expire(.seconds(15))
        #expect(expired == [0, 1] && next == .seconds(17))
        #expect(queue.finish(running!.number) == nil)
        let third = queue.take()
        #expect(third?.request == .list(limit: 2))
        #expect(queue.finish(third!.number) == 2)
        (expired, next) = queue.expire(.seconds(17))
        #expect(expired == [] && next == nil)
        guard case .accepted(_, let later) = queue.add(.list(limit: 3), 3, .seconds(20)) else {
            Issue.record("refused")
            return
        }
        #expect(later == .seconds(25))
    }

    @Test("closing returns the requests that were not answered, and refuses further ones")
    func close() {
        var queue = queue()
        for number in 0..<3 { #expect(add(number, to: &queue)) }
        let running = queue.take()
        #expect(queue.close() == [0, 1, 2])
        #expect(queue.isClosed)
        #expect(queue.finish(running!.number) == nil)
        #expect(queue.take() == nil)
        #expect(!add(3, to: &queue))
    }

    @Test("the time between attempts to connect doubles up to 1 s, and starts at 100 ms after a success")
    func delay() {
        var delay = ReconnectDelay()
        #expect(delay.isOver(.zero))
        for milliseconds: Int64 in [100, 200, 400, 800, 1_000, 1_000] {
            delay.noteFailure(.seconds(7))
            let end = MediaTime.seconds(7) + .milliseconds(milliseconds)
            #expect(!delay.isOver(end - .nanoseconds(1)))
            #expect(delay.isOver(end))
        }
        delay.noteSuccess()
        #expect(delay.isOver(.seconds(7)))
        delay.noteFailure(.seconds(7))
        #expect(delay.isOver(.seconds(7) + .milliseconds(100)))
    }
}

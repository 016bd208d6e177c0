import CLinuxNet
import NIOConcurrencyHelpers

/// Thread that runs endpoints: their datagrams, their timers, and publishers' media when it is due.
final class EndpointThread: Sendable {
    typealias Ready = @Sendable (Result<Void, LoadError>) -> Void

    let usage: NIOLockedValueBox<ThreadUsage>
    private let name: String
    private let sweepInterval: Int64
    private let poller = millrace_poller_open()
    private let state = NIOLockedValueBox(State())
    private let loop = WakeableThread()
    /// Event that sources signal to wake the thread.
    var event: Int32 { loop.event }

    private struct Joining: Sendable {
        let index: Int
        let make: @Sendable () throws(LoadError) -> any LoadEndpoint
        let ready: Ready
    }

    private struct State {
        var joining: [Joining] = []
        var leaving: [(index: Int, completion: @Sendable () -> Void)] = []
        var isOver = false
        var totals = EndpointTotals()
        var failure: LoadError?
    }

    /// Endpoints of the thread, and the totals of those that have left.
    private struct Members {
        var endpoints: [Int: any LoadEndpoint] = [:]
        var publishers: [any LoadEndpoint] = []
        var finished = EndpointTotals()
    }

    /// Shortest wait in nanoseconds, to limit the number of wake-ups: everything due within this time is handled together.
    private static let shortestWait: Int64 = 500_000
    private static let over = LoadError.notConnected("the run ended")

    /// - Parameter sweepInterval: interval between checks of the timers, in nanoseconds.
    init(name: String, sweepInterval: Int64 = 5_000_000) {
        self.name = name
        self.sweepInterval = sweepInterval
        usage = NIOLockedValueBox(ThreadUsage(name: name))
    }

    deinit {
        millrace_close(poller)
    }

    func start() throws(LoadError) {
        try loop.start(name: name) { [self] in
            do throws(LoadError) { try run() } catch { state.withLockedValue { $0.failure = error } }
            end()
        }
    }

    /// Closes all endpoints and ends the thread.
    func stop() {
        loop.stop()
    }

    /// Adds an endpoint, and returns when it is ready. An endpoint that fails is removed.
    /// - Parameters:
    ///   - index: unique among the endpoints of the thread.
    ///   - make: creates the endpoint, on the thread.
    func add(
        _ index: Int, _ make: @escaping @Sendable () throws(LoadError) -> any LoadEndpoint
    ) async throws(LoadError) {
        let result = await withCheckedContinuation { waiting in
            let joining = Joining(index: index, make: make, ready: { waiting.resume(returning: $0) })
            let isOver = state.withLockedValue { state in
                if !state.isOver { state.joining.append(joining) }
                return state.isOver
            }
            if isOver { joining.ready(.failure(Self.over)) }
            loop.wake()
        }
        if case .failure(let error) = result {
            await remove(index)
            throw error
        }
    }

    /// Removes an endpoint, and returns when it is gone: packets that arrive later do not count.
    func remove(_ index: Int) async {
        await withCheckedContinuation { waiting in
            let isOver = state.withLockedValue { state in
                if !state.isOver { state.leaving.append((index, { waiting.resume() })) }
                return state.isOver
            }
            if isOver { waiting.resume() }
            loop.wake()
        }
    }

    /// Sums over all endpoints, including those that have left.
    var totals: EndpointTotals { state.withLockedValue { $0.totals } }
    var failure: LoadError? { state.withLockedValue { $0.failure } }

    private func run() throws(LoadError) {
        var meter = ThreadMeter(name: name, publishing: usage)
        defer { meter.finish() }
        let sender = try PacketSender()
        // Each slot holds a buffer of datagrams that the kernel coalesced: up to 64 KiB.
        guard let receiver = millrace_receiver_new(8, 65_536) else { throw .system(call: "malloc", errno: 12) }
        defer { millrace_receiver_free(receiver) }
        var members = Members()
        var (next, swept, published): (Int64, Int64, Int64) = (0, 0, 0)
        while !loop.isStopping {
            let wait = min(sweepInterval, max(Self.shortestWait, next - LoadClock.now))
            let ready = millrace_wait([loop.event, poller], 2, wait)
            if ready & 1 != 0 { loop.clear() }
            if ready & 2 != 0 { receive(members.endpoints, receiver, sender) }
            admit(to: &members, sender)
            dismiss(from: &members, sender)
            next = .max
            for publisher in members.publishers { next = min(next, publisher.send(now: LoadClock.now, with: sender)) }
            let now = LoadClock.now
            if now - swept >= sweepInterval {
                swept = now
                for endpoint in members.endpoints.values { endpoint.handleTimeout(now: now, with: sender) }
            }
            if now - published >= 200_000_000 {
                published = now
                publish(members, sender)
            }
            meter.sample(now: now)
        }
        publish(members, sender)
        for endpoint in members.endpoints.values { endpoint.close(now: LoadClock.now, with: sender) }
    }

    private func receive(_ endpoints: [Int: any LoadEndpoint], _ receiver: OpaquePointer, _ sender: PacketSender) {
        var tags = [UInt64](repeating: 0, count: 256)
        let count = millrace_poller_wait(poller, &tags, 256, 0)
        for tag in tags[..<max(0, Int(count))] {
            guard let endpoint = endpoints[Int(tag >> 1)] else { continue }
            let socket = Int(tag & 1)
            withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: 8) { datagrams in
                var truncated: UInt32 = 0
                let received = millrace_receive(
                    receiver, endpoint.sockets[socket].descriptor, datagrams.baseAddress, &truncated)
                let now = LoadClock.now
                for i in 0..<max(0, Int(received)) {
                    let run = UnsafeMutableRawBufferPointer(start: datagrams[i].data, count: Int(datagrams[i].length))
                    let segment = datagrams[i].segment == 0 ? run.count : Int(datagrams[i].segment)
                    for start in stride(from: 0, to: run.count, by: max(1, segment)) {
                        let datagram = run[start..<min(run.count, start + segment)]
                        endpoint.receive(
                            UnsafeMutableRawBufferPointer(rebasing: datagram), at: socket, from: datagrams[i].from,
                            now: now)
                    }
                }
                endpoint.respond(now: now, with: sender)
            }
        }
    }

    private func admit(to members: inout Members, _ sender: PacketSender) {
        let joining = state.withLockedValue { state in
            defer { state.joining.removeAll() }
            return state.joining
        }
        for join in joining {
            do throws(LoadError) {
                let endpoint = try join.make()
                for (index, socket) in endpoint.sockets.enumerated() {
                    let tag = UInt64(join.index) << 1 | UInt64(index)
                    let code = millrace_poller_add(poller, socket.descriptor, tag)
                    guard code == 0 else { throw .system(call: "epoll_ctl", errno: -code) }
                }
                members.endpoints[join.index] = endpoint
                if endpoint.publishes { members.publishers.append(endpoint) }
                endpoint.start(with: sender, ready: join.ready)
            } catch {
                join.ready(.failure(error))
            }
        }
    }

    private func dismiss(from members: inout Members, _ sender: PacketSender) {
        let leaving = state.withLockedValue { state in
            defer { state.leaving.removeAll() }
            return state.leaving
        }
        for (index, completion) in leaving {
            defer { completion() }
            guard let endpoint = members.endpoints.removeValue(forKey: index) else { continue }
            members.publishers.removeAll { $0 === endpoint }
            for socket in endpoint.sockets { _ = millrace_poller_remove(poller, socket.descriptor) }
            let now = LoadClock.now
            endpoint.close(now: now, with: sender)
            endpoint.add(to: &members.finished, now: now)
        }
    }

    private func publish(_ members: Members, _ sender: PacketSender) {
        let now = LoadClock.now
        var totals = members.finished
        for endpoint in members.endpoints.values { endpoint.add(to: &totals, now: now) }
        totals.sent.refused += sender.refused
        state.withLockedValue { $0.totals = totals }
    }

    /// Completes all pending additions and removals, so that no caller waits forever.
    private func end() {
        let (joining, leaving) = state.withLockedValue { state in
            defer {
                state.joining.removeAll()
                state.leaving.removeAll()
            }
            state.isOver = true
            return (state.joining, state.leaving)
        }
        for join in joining { join.ready(.failure(Self.over)) }
        for (_, completion) in leaving { completion() }
    }
}

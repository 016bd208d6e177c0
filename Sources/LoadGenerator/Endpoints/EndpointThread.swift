import CLinuxNet
import NIOConcurrencyHelpers

/// Thread that runs endpoints: their datagrams, their timers, and publishers' media when it is due.
final class EndpointThread: Sendable {
    typealias Ready = @Sendable (Result<Void, LoadError>) -> Void
    /// Change of the endpoints, by the thread; called with nil if the thread has ended.
    private typealias Command = @Sendable (Members?) -> Void

    let thread: LoadThread
    private let sweepInterval: Int64
    private let poller = millrace_poller_open()
    private let state = NIOLockedValueBox(State())

    private struct State {
        /// Commands that the thread has not carried out yet; nil once it has ended.
        var commands: [Command]? = []
        var totals = EndpointTotals()
    }

    /// Endpoints of the thread, and the totals of those that have left. Confined to the thread.
    private final class Members {
        let sender: PacketSender
        var endpoints: [Int: any LoadEndpoint] = [:]
        var publishers: [any LoadEndpoint] = []
        var finished = EndpointTotals()

        init(_ sender: PacketSender) { self.sender = sender }
    }

    /// Shortest wait in nanoseconds, to limit the number of wake-ups: everything due within this time is handled together.
    private static let shortestWait: Int64 = 500_000

    /// - Parameter sweepInterval: interval between checks of the timers, in nanoseconds.
    init(name: String, sweepInterval: Int64 = 5_000_000) {
        thread = LoadThread(name: name)
        self.sweepInterval = sweepInterval
    }

    deinit { millrace_close(poller) }

    func start() throws(LoadError) {
        try thread.start { [self] meter in
            // No caller may wait forever.
            defer { for command in takeCommands(isOver: true) { command(nil) } }
            try run(&meter)
        }
    }

    /// Closes all endpoints and ends the thread.
    func stop() { thread.stop() }

    /// Adds an endpoint, and returns when it is ready. An endpoint that fails is removed.
    /// - Parameters:
    ///   - index: unique among the endpoints of the thread.
    ///   - make: creates the endpoint, on the thread.
    func add(
        _ index: Int, _ make: @escaping @Sendable () throws(LoadError) -> any LoadEndpoint
    ) async throws(LoadError) {
        let result = await withCheckedContinuation { waiting in
            let ready: Ready = { waiting.resume(returning: $0) }
            post { [self] members in
                guard let members else { return ready(.failure(.notConnected("the run ended"))) }
                do throws(LoadError) {
                    try admit(try make(), as: index, to: members).start(with: members.sender, ready: ready)
                } catch { ready(.failure(error)) }
            }
        }
        if case .failure(let error) = result {
            await remove(index)
            throw error
        }
    }

    /// Removes an endpoint, and returns when it is gone: packets that arrive later do not count.
    func remove(_ index: Int) async {
        await withCheckedContinuation { waiting in
            post { [self] members in
                if let members { dismiss(index, from: members) }
                waiting.resume()
            }
        }
    }

    /// Sums over all endpoints, including those that have left.
    var totals: EndpointTotals { state.withLockedValue { $0.totals } }

    private func post(_ command: @escaping Command) {
        let isOver = state.withLockedValue { state in
            state.commands?.append(command)
            return state.commands == nil
        }
        if isOver { command(nil) }
        thread.wake()
    }

    /// Returns the commands that wait, and accepts no more if the thread is over.
    private func takeCommands(isOver: Bool) -> [Command] {
        state.withLockedValue { state in
            defer { state.commands = isOver ? nil : [] }
            return state.commands ?? []
        }
    }

    private func run(_ meter: inout ThreadMeter) throws(LoadError) {
        let members = Members(try PacketSender())
        // Each slot holds a buffer of datagrams that the kernel coalesced: up to 64 KiB.
        guard let receiver = millrace_receiver_new(8, 65_536) else { throw .system(call: "malloc", errno: 12) }
        defer { millrace_receiver_free(receiver) }
        var (next, swept, published): (Int64, Int64, Int64) = (0, 0, 0)
        while !thread.isStopping {
            let wait = min(sweepInterval, max(Self.shortestWait, next - LoadClock.now))
            let ready = millrace_wait([thread.event, poller], 2, wait)
            if ready & 1 != 0 { thread.clear() }
            if ready & 2 != 0 { receive(members, receiver) }
            for command in takeCommands(isOver: false) { command(members) }
            next = .max
            for publisher in members.publishers {
                next = min(next, publisher.send(now: LoadClock.now, with: members.sender))
            }
            let now = LoadClock.now
            if now - swept >= sweepInterval {
                swept = now
                for endpoint in members.endpoints.values { endpoint.handleTimeout(now: now, with: members.sender) }
            }
            if now - published >= 200_000_000 {
                published = now
                publish(members)
            }
            meter.sample(now: now)
        }
        publish(members)
        for endpoint in members.endpoints.values { endpoint.close(now: LoadClock.now, with: members.sender) }
    }

    private func receive(_ members: Members, _ receiver: OpaquePointer) {
        var tags = [UInt64](repeating: 0, count: 256)
        let count = millrace_poller_wait(poller, &tags, 256, 0)
        for tag in tags[..<max(0, Int(count))] {
            guard let endpoint = members.endpoints[Int(tag >> 1)] else { continue }
            let socket = Int(tag & 1)
            withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: 8) { datagrams in
                var truncated: UInt32 = 0
                let received = millrace_receive(
                    receiver, endpoint.sockets[socket].descriptor, datagrams.baseAddress, &truncated)
                let now = LoadClock.now
                for datagram in datagrams[..<max(0, Int(received))] {
                    let run = UnsafeMutableRawBufferPointer(start: datagram.data, count: Int(datagram.length))
                    let segment = datagram.segment == 0 ? run.count : Int(datagram.segment)
                    for start in stride(from: 0, to: run.count, by: max(1, segment)) {
                        endpoint.receive(
                            UnsafeMutableRawBufferPointer(rebasing: run[start..<min(run.count, start + segment)]),
                            at: socket, from: datagram.from, now: now)
                    }
                }
                endpoint.respond(now: now, with: members.sender)
            }
        }
    }

    private func admit(
        _ endpoint: any LoadEndpoint, as index: Int, to members: Members
    ) throws(LoadError) -> any LoadEndpoint {
        for (socketIndex, socket) in endpoint.sockets.enumerated() {
            let code = millrace_poller_add(poller, socket.descriptor, UInt64(index) << 1 | UInt64(socketIndex))
            guard code == 0 else { throw .system(call: "epoll_ctl", errno: -code) }
        }
        members.endpoints[index] = endpoint
        if endpoint.publishes { members.publishers.append(endpoint) }
        return endpoint
    }

    private func dismiss(_ index: Int, from members: Members) {
        guard let endpoint = members.endpoints.removeValue(forKey: index) else { return }
        members.publishers.removeAll { $0 === endpoint }
        for socket in endpoint.sockets { _ = millrace_poller_remove(poller, socket.descriptor) }
        let now = LoadClock.now
        endpoint.close(now: now, with: members.sender)
        endpoint.add(to: &members.finished, now: now)
    }

    private func publish(_ members: Members) {
        let now = LoadClock.now
        var totals = members.finished
        for endpoint in members.endpoints.values { endpoint.add(to: &totals, now: now) }
        totals.sent.refused += members.sender.refused
        state.withLockedValue { $0.totals = totals }
    }
}

import CLinuxNet

/// Thread that runs WebRTC participants, each with its own socket: datagrams, timers, and publishers' media when it is due.
final class PeerThread: Sendable {
    let usage: Locked<ThreadUsage>
    private let name: String
    private let loss: LossPattern
    private let poller = millrace_poller_open()
    private let state = Locked(State())
    private let loop = WakeableThread()
    /// Event that sources signal to wake the thread.
    var event: Int32 { loop.event }

    private struct State {
        var joining: [PeerSetup] = []
        var leaving: [(index: Int, completion: @Sendable () -> Void)] = []
        var isOver = false
        var totals = Totals()
        var failure: LoadError?
    }

    /// Sums over all participants, including those that have left.
    struct Totals: Sendable {
        var sent = SendStatistics()
        var received = ReceptionStatistics()
        var connections = ConnectionStatistics()

        mutating func add(_ peer: Peer, now: Int64) {
            sent.add(peer.sendStatistics)
            received.add(peer.receptionStatistics(now: now))
            connections.add(peer.connections)
        }
    }

    /// Shortest wait in nanoseconds, to limit the number of wake-ups: everything due within this time is handled together.
    private static let shortestWait: Int64 = 500_000
    /// Interval between checks of the timers, in nanoseconds.
    private static let sweepInterval: Int64 = 5_000_000

    init(name: String, loss: LossPattern) {
        self.name = name
        self.loss = loss
        usage = Locked(ThreadUsage(name: name))
    }

    deinit {
        millrace_close(poller)
    }

    func start() throws(LoadError) {
        try loop.start(name: name) { [self] in
            do throws(LoadError) { try run() } catch {
                state.withLock { $0.failure = error }
                end()
            }
        }
    }

    /// Removes all participants and ends the thread.
    func stop() {
        loop.stop()
    }

    /// Adds a participant; the completion of its setup reports the result.
    func add(_ setup: PeerSetup) {
        let isOver = state.withLock { state in
            if !state.isOver { state.joining.append(setup) }
            return state.isOver
        }
        if isOver { setup.completion(.failure(.notConnected("the run ended"))) }
        loop.wake()
    }

    /// Removes a participant, and returns when it is gone: packets that arrive later do not count.
    func remove(_ index: Int) async {
        await withCheckedContinuation { waiting in
            let isOver = state.withLock { state in
                if !state.isOver { state.leaving.append((index, { waiting.resume() })) }
                return state.isOver
            }
            if isOver { waiting.resume() }
            loop.wake()
        }
    }

    var totals: Totals { state.withLock { $0.totals } }
    var failure: LoadError? { state.withLock { $0.failure } }

    private func run() throws(LoadError) {
        var meter = ThreadMeter(name: name, publishing: usage)
        defer { meter.finish() }
        let sender = try PacketSender()
        // Each slot holds a buffer of datagrams that the kernel coalesced: up to 64 KiB.
        guard let receiver = millrace_receiver_new(8, 65_536) else { throw .system(call: "malloc", errno: 12) }
        defer { millrace_receiver_free(receiver) }
        var peers: [Int: Peer] = [:]
        var finished = Totals()
        var (next, swept, published): (Int64, Int64, Int64) = (0, 0, 0)
        while !loop.isStopping {
            let wait = min(Self.sweepInterval, max(Self.shortestWait, next - LoadClock.now))
            let ready = millrace_wait([loop.event, poller], 2, wait)
            if ready & 1 != 0 { loop.clear() }
            if ready & 2 != 0 { receive(peers, receiver, sender) }
            admit(to: &peers, sender)
            dismiss(from: &peers, into: &finished, sender)
            next = .max
            for peer in peers.values where peer.setup.media != nil {
                next = min(next, peer.send(now: LoadClock.now, with: sender))
            }
            let now = LoadClock.now
            if now - swept >= Self.sweepInterval {
                swept = now
                for peer in peers.values { peer.handleTimeout(now: now, with: sender) }
            }
            if now - published >= 200_000_000 {
                published = now
                publish(peers, finished, sender)
            }
            meter.sample(now: now)
        }
        publish(peers, finished, sender)
        for peer in peers.values { peer.close(with: sender) }
        end()
    }

    private func receive(_ peers: [Int: Peer], _ receiver: OpaquePointer, _ sender: PacketSender) {
        var tags = [UInt64](repeating: 0, count: 256)
        let count = millrace_poller_wait(poller, &tags, 256, 0)
        guard count > 0 else { return }
        for tag in tags[0..<Int(count)] {
            guard let peer = peers[Int(tag)] else { continue }
            withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: 8) { datagrams in
                var truncated: UInt32 = 0
                let received = millrace_receive(
                    receiver, peer.setup.socket.descriptor, datagrams.baseAddress, &truncated)
                let now = LoadClock.now
                for i in 0..<max(0, Int(received)) {
                    let length = Int(datagrams[i].length)
                    let segment = datagrams[i].segment == 0 ? length : Int(datagrams[i].segment)
                    var offset = 0
                    while offset < length {
                        let end = min(length, offset + segment)
                        peer.receive(
                            UnsafeRawBufferPointer(start: datagrams[i].data + offset, count: end - offset),
                            from: datagrams[i].from, now: now, with: sender)
                        offset = end
                    }
                }
            }
        }
    }

    private func admit(to peers: inout [Int: Peer], _ sender: PacketSender) {
        let joining = state.withLock { state in
            defer { state.joining.removeAll() }
            return state.joining
        }
        for setup in joining {
            let code = millrace_poller_add(poller, setup.socket.descriptor, UInt64(setup.index))
            guard code == 0 else {
                setup.completion(.failure(.system(call: "epoll_ctl", errno: -code)))
                continue
            }
            let peer = Peer(setup, loss: loss)
            peers[setup.index] = peer
            peer.start(with: sender)
        }
    }

    private func dismiss(from peers: inout [Int: Peer], into finished: inout Totals, _ sender: PacketSender) {
        let leaving = state.withLock { state in
            defer { state.leaving.removeAll() }
            return state.leaving
        }
        for (index, completion) in leaving {
            defer { completion() }
            guard let peer = peers.removeValue(forKey: index) else { continue }
            _ = millrace_poller_remove(poller, peer.setup.socket.descriptor)
            peer.close(with: sender)
            finished.add(peer, now: LoadClock.now)
        }
    }

    private func publish(_ peers: [Int: Peer], _ finished: Totals, _ sender: PacketSender) {
        let now = LoadClock.now
        var totals = finished
        for peer in peers.values { totals.add(peer, now: now) }
        totals.sent.refused += sender.refused
        state.withLock { $0.totals = totals }
    }

    /// Completes all pending additions and removals, so that no caller waits forever.
    private func end() {
        let (joining, leaving) = state.withLock { state in
            defer {
                state.joining.removeAll()
                state.leaving.removeAll()
            }
            state.isOver = true
            return (state.joining, state.leaving)
        }
        for setup in joining { setup.completion(.failure(.notConnected("the run ended"))) }
        for (_, completion) in leaving { completion() }
    }
}

import CLinuxNet

/// Thread that sends for all publishers: waits for the sources' frames and packets, and sends each publisher's when due.
final class PublisherThread: Sendable {
    let usage = Locked(ThreadUsage(name: "load-send"))
    private let poller = millrace_poller_open()
    private let host: String
    private let clock: LoadClock
    private let loss: LossPattern
    private let state = Locked(State())
    private let loop = WakeableThread()
    /// Event that sources signal to wake the thread.
    var event: Int32 { loop.event }

    private struct State {
        var joining: [PublisherSetup] = []
        var statistics = SendStatistics()
        var failure: LoadError?
    }

    /// Shortest wait in nanoseconds, to limit the number of wake-ups: everything due within this time is sent together.
    private static let shortestWait: Int64 = 500_000

    init(host: String, clock: LoadClock, loss: LossPattern) {
        self.host = host
        self.clock = clock
        self.loss = loss
    }

    deinit {
        millrace_close(poller)
    }

    func start() throws(LoadError) {
        try loop.start(name: "load-send") { [self] in
            do throws(LoadError) { try run() } catch { state.withLock { $0.failure = error } }
        }
    }

    func stop() {
        loop.stop()
    }

    func add(_ setup: PublisherSetup) {
        state.withLock { $0.joining.append(setup) }
        loop.wake()
    }

    var statistics: SendStatistics { state.withLock { $0.statistics } }
    var failure: LoadError? { state.withLock { $0.failure } }

    private func run() throws(LoadError) {
        var meter = ThreadMeter(name: "load-send", publishing: usage)
        defer { meter.finish() }
        let sender = try PacketSender()
        guard let receiver = millrace_receiver_new(16, 2_048) else { throw .system(call: "malloc", errno: 12) }
        defer { millrace_receiver_free(receiver) }
        var publishers: [Publisher] = []
        var next: Int64 = 0
        var published: Int64 = 0
        while !loop.isStopping {
            let wait = min(20_000_000, max(Self.shortestWait, next - LoadClock.now))
            let fds = [loop.event, poller]
            let ready = millrace_wait(fds, 2, wait)
            if ready & 1 != 0 { loop.clear() }
            try admit(to: &publishers)
            if ready & 2 != 0 { receive(publishers, receiver, sender) }
            next = .max
            for publisher in publishers { next = min(next, publisher.send(now: LoadClock.now, with: sender)) }
            let now = LoadClock.now
            if now - published >= 100_000_000 {
                published = now
                publish(publishers, sender)
            }
            meter.sample(now: now)
        }
        publish(publishers, sender)
    }

    private func admit(to publishers: inout [Publisher]) throws(LoadError) {
        let joining = state.withLock { state in
            defer { state.joining.removeAll() }
            return state.joining
        }
        for setup in joining {
            let publisher = try Publisher(setup, host: host, clock: clock, loss: loss)
            let code = millrace_poller_add(poller, publisher.socket.descriptor, UInt64(publishers.count))
            guard code == 0 else { throw .system(call: "epoll_ctl", errno: -code) }
            publishers.append(publisher)
        }
    }

    private func receive(_ publishers: [Publisher], _ receiver: OpaquePointer, _ sender: PacketSender) {
        var tags = [UInt64](repeating: 0, count: 64)
        let count = millrace_poller_wait(poller, &tags, 64, 0)
        guard count > 0 else { return }
        for tag in tags[0..<Int(count)] {
            let publisher = publishers[Int(tag)]
            withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: 16) { datagrams in
                var truncated: UInt32 = 0
                let received = millrace_receive(
                    receiver, publisher.socket.descriptor, datagrams.baseAddress, &truncated)
                for i in 0..<max(0, Int(received)) {
                    publisher.receive(
                        UnsafeMutableRawBufferPointer(start: datagrams[i].data, count: Int(datagrams[i].length)),
                        with: sender)
                }
            }
        }
    }

    private func publish(_ publishers: [Publisher], _ sender: PacketSender) {
        var total = SendStatistics()
        for publisher in publishers { total.add(publisher.statistics) }
        total.refused += sender.refused
        state.withLock { $0.statistics = total }
    }
}

import CLinuxNet

/// Thread that receives for many subscribers, each on its own socket.
final class SubscriberThread: Sendable {
    let usage: Locked<ThreadUsage>
    private let name: String
    private let loss: LossPattern
    private let poller = millrace_poller_open()
    private let state = Locked(State())
    private let loop = WakeableThread()

    private struct State {
        var joining: [SubscriberSetup] = []
        var leaving: [Int] = []
        var statistics = ReceptionStatistics()
        var failure: LoadError?
    }

    private static let eventTag = UInt64.max

    init(name: String, loss: LossPattern) {
        self.name = name
        self.loss = loss
        usage = Locked(ThreadUsage(name: name))
    }

    deinit {
        millrace_close(poller)
    }

    func start() throws(LoadError) {
        let code = millrace_poller_add(poller, loop.event, Self.eventTag)
        guard code == 0 else { throw .system(call: "epoll_ctl", errno: -code) }
        try loop.start(name: name) { [self] in
            do throws(LoadError) { try run() } catch { state.withLock { $0.failure = error } }
        }
    }

    /// Removes all subscribers and ends the thread.
    func stop() {
        loop.stop()
    }

    func add(_ setup: SubscriberSetup) {
        state.withLock { $0.joining.append(setup) }
        loop.wake()
    }

    /// Removes a subscriber; packets that arrive later do not count.
    func remove(_ index: Int) {
        state.withLock { $0.leaving.append(index) }
        loop.wake()
    }

    var statistics: ReceptionStatistics { state.withLock { $0.statistics } }
    var failure: LoadError? { state.withLock { $0.failure } }

    private func run() throws(LoadError) {
        var meter = ThreadMeter(name: name, publishing: usage)
        defer { meter.finish() }
        let sender = try PacketSender()
        // Each slot holds a buffer of datagrams that the kernel coalesced: up to 64 KiB.
        guard let receiver = millrace_receiver_new(8, 65_536) else { throw .system(call: "malloc", errno: 12) }
        defer { millrace_receiver_free(receiver) }
        var subscribers: [Int: Subscriber] = [:]
        var finished = ReceptionStatistics()
        var tags = [UInt64](repeating: 0, count: 256)
        var (swept, published): (Int64, Int64) = (0, 0)
        while !loop.isStopping {
            let count = Int(millrace_poller_wait(poller, &tags, 256, 20))
            for tag in tags[0..<max(0, count)] {
                if tag == Self.eventTag {
                    loop.clear()
                } else if let subscriber = subscribers[Int(tag)] {
                    receive(subscriber, receiver)
                    if subscriber.needsAttention { subscriber.sendFeedback(now: LoadClock.now, with: sender) }
                }
            }
            try admit(to: &subscribers)
            dismiss(from: &subscribers, into: &finished)
            let now = LoadClock.now
            if now - swept >= 20_000_000 {
                swept = now
                for subscriber in subscribers.values { subscriber.sendFeedback(now: now, with: sender) }
            }
            if now - published >= 250_000_000 {
                published = now
                publish(subscribers, finished)
            }
            meter.sample(now: now)
        }
        for subscriber in subscribers.values { subscriber.setup.feed?.close(now: LoadClock.now) }
        publish(subscribers, finished)
    }

    private func receive(_ subscriber: Subscriber, _ receiver: OpaquePointer) {
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: 8) { datagrams in
            var truncated: UInt32 = 0
            let count = millrace_receive(
                receiver, subscriber.setup.socket.descriptor, datagrams.baseAddress, &truncated)
            let now = LoadClock.now
            for i in 0..<max(0, Int(count)) {
                let length = Int(datagrams[i].length)
                let segment = datagrams[i].segment == 0 ? length : Int(datagrams[i].segment)
                var offset = 0
                while offset < length {
                    let end = min(length, offset + segment)
                    subscriber.receive(
                        UnsafeRawBufferPointer(start: datagrams[i].data + offset, count: end - offset),
                        from: datagrams[i].from, now: now, loss: loss)
                    offset = end
                }
            }
        }
    }

    private func admit(to subscribers: inout [Int: Subscriber]) throws(LoadError) {
        let joining = state.withLock { state in
            defer { state.joining.removeAll() }
            return state.joining
        }
        for setup in joining {
            subscribers[setup.index] = try Subscriber(setup)
            let code = millrace_poller_add(poller, setup.socket.descriptor, UInt64(setup.index))
            guard code == 0 else { throw .system(call: "epoll_ctl", errno: -code) }
        }
    }

    private func dismiss(from subscribers: inout [Int: Subscriber], into finished: inout ReceptionStatistics) {
        let leaving = state.withLock { state in
            defer { state.leaving.removeAll() }
            return state.leaving
        }
        for index in leaving {
            guard let subscriber = subscribers.removeValue(forKey: index) else { continue }
            _ = millrace_poller_remove(poller, subscriber.setup.socket.descriptor)
            let now = LoadClock.now
            subscriber.setup.feed?.close(now: now)
            finished.add(subscriber.statistics(now: now))
        }
    }

    private func publish(_ subscribers: [Int: Subscriber], _ finished: ReceptionStatistics) {
        let now = LoadClock.now
        var total = finished
        for subscriber in subscribers.values { total.add(subscriber.statistics(now: now)) }
        state.withLock { $0.statistics = total }
    }
}

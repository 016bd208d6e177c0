package import DTLS
package import Forwarding
package import MediaBase
package import SDP
package import Transport

/// An engine without threads, sockets and clock: its owner sets the time, passes in datagrams and takes those that it sends. Whole sessions
/// run in it as fast as the machine allows, and a seed makes each run repeatable.
///
/// ```swift
/// let relay = try VirtualEngine(configuration: configuration, seed: 1) { bytes, worker, to in network.send(bytes, to: to) }
/// let answer = try relay.openWebRTC(request)
/// relay.receive(datagram, from: client, at: now)
/// relay.run(at: relay.deadline)
/// ```
package final class VirtualEngine {
    /// Workers by index.
    let workers: [Worker]
    /// Clocks and senders of the workers.
    private let ios: [VirtualIO]
    private let sink: EventSink
    let router: CallRouter
    private let plainOutput: PlainOutput
    /// Time for which packets and messages of one worker wait for another, unless a call waits for its answer.
    package var linkDelay = MediaTime.zero
    private var settledAt: MediaTime
    /// Events of streams and tracks; ends with `close`.
    package let events: AsyncStream<StreamEvent>

    /// Turns in which workers handle each other's messages. More mean that they never come to rest, which is a fault.
    private static let maximumTurns = 10_000

    /// - Parameters:
    ///   - identity: nil: a new one is generated, which takes a millisecond.
    ///   - transmit: takes each datagram to a WebRTC peer, and the index of the worker that sends it from its own port.
    package init(
        configuration: EngineConfiguration = EngineConfiguration(), identity: DTLSIdentity? = nil, seed: UInt64,
        now: MediaTime = .zero, transmit: @escaping (UnsafeRawBufferPointer, Int, PeerAddress) -> Void
    ) throws(EngineError) {
        sink = EventSink()
        events = sink.addReader()
        settledAt = now
        let identity =
            if let identity { identity } else { try MediaEngine.identity(configuration.webRTC.certificate) }
        let totals = WorkerTotals(workers: configuration.workers)
        let placement = SharedPlacement(
            workers: configuration.workers,
            limit: configuration.limits.sessions + configuration.webRTC.unestablishedTransports)
        let plainOutput = PlainOutput()
        self.plainOutput = plainOutput
        var workers: [Worker] = []
        var ios: [VirtualIO] = []
        for index in 0..<configuration.workers {
            let io = VirtualIO(now: now) { bytes, name, to in
                if name == .webRTC {
                    transmit(bytes, index, to)
                } else {
                    plainOutput.transmit?(bytes, index, to.address)
                }
            }
            ios.append(io)
            workers.append(
                try Worker(
                    index: index, configuration: configuration, identity: identity, events: sink, totals: totals,
                    placement: placement, virtual: io, seed: seed &+ UInt64(index)))
        }
        self.workers = workers
        self.ios = ios
        let mailboxes = workers.map(\.mailbox)
        totals.connect(mailboxes)
        router = CallRouter(configuration, placement: placement, mailboxes: mailboxes)
    }

    private var now: MediaTime { ios[0].now }

    /// Time at which `run` is due next.
    package var deadline: MediaTime {
        let settling = linkDelay > .zero && workers.contains(where: isBusy) ? settledAt + linkDelay : .never
        return max(now, workers.reduce(settling) { min($0, $1.nextDeadline()) })
    }

    /// Advances the time to `now` and runs what is due by then.
    package func run(at now: MediaTime) {
        advance(to: now)
        let isDue = linkDelay == .zero || now >= settledAt + linkDelay
        for worker in workers { turn(worker, readsLinks: isDue) }
        if isDue { settle() }
    }

    private func advance(to now: MediaTime) { for io in ios { io.now = max(io.now, now) } }

    private func isBusy(_ worker: Worker) -> Bool { !worker.mailbox.isEmpty || worker.links.hasRecords }

    private func turn(_ worker: Worker, readsLinks: Bool) {
        if readsLinks {
            for work in worker.mailbox.takeAll() { work(worker) }
            worker.readLinks()
        }
        worker.act()
        worker.taps.flush()
        worker.links.flush()
    }

    /// Lets the workers handle the messages and packets of each other.
    private func settle() {
        guard workers.count > 1 else { return }
        for _ in 0..<Self.maximumTurns {
            let busy = workers.filter(isBusy)
            if busy.isEmpty {
                settledAt = now
                return
            }
            for worker in busy { turn(worker, readsLinks: true) }
        }
        preconditionFailure("the workers do not come to rest")
    }

    /// Simulated CPU time of each worker's thread, which by default uses none.
    package var threadTime: MediaTime {
        get { ios[0].threadTime }
        set { for io in ios { io.threadTime = newValue } }
    }

    /// Simulates refusals by the kernel: the cause for which a datagram to this address is not sent; nil: it is sent.
    package var refuse: ((PeerAddress) -> SendDropCause?)? {
        get { ios[0].refuse }
        set { for io in ios { io.refuse = newValue } }
    }

    /// Takes each datagram of plain transports, and the index of the worker that sends it; nil: they are discarded.
    package var transmitPlain: ((UnsafeRawBufferPointer, Int, SocketAddress) -> Void)? {
        get { plainOutput.transmit }
        set { plainOutput.transmit = newValue }
    }

    private final class PlainOutput {
        var transmit: ((UnsafeRawBufferPointer, Int, SocketAddress) -> Void)?
    }

    /// Passes in a datagram on the WebRTC port of a worker, or on the RTP port of its plain transports.
    package func receive(
        _ datagram: UnsafeRawBufferPointer, from: PeerAddress, at now: MediaTime, worker index: Int = 0,
        isPlain: Bool = false
    ) {
        advance(to: now)
        let worker = workers[index]
        // The worker decrypts in place.
        withUnsafeTemporaryAllocation(byteCount: max(1, datagram.count), alignment: 8) { copy in
            copy.copyMemory(from: datagram)
            worker.counters.datagramsReceived &+= 1
            worker.receive(
                copy.baseAddress!, length: datagram.count, from: from, on: isPlain ? .rtp : .webRTC, now: self.now)
        }
        run(at: now)
    }

    /// Simulates the close of a TCP connection that a peer used.
    package func disconnected(_ address: PeerAddress) {
        for worker in workers { worker.disconnected(address, now: now) }
    }

    // MARK: control calls, as in `MediaEngine`

    /// Runs a call, and what the workers do because of it.
    func run<R: Sendable>(
        _ target: CallTarget, waitsForParts: Bool = false, _ body: @escaping CallRouter.Body<R>
    ) throws(EngineError) -> R {
        let outcome = VirtualOutcome<R>()
        router.post(target, waitsForParts: waitsForParts, now: now, body) { outcome.result = $0 }
        // With a delay, only messages are handled until the call is answered.
        var turns = 0
        while outcome.result == nil, turns < Self.maximumTurns {
            for worker in workers { for work in worker.mailbox.takeAll() { work(worker) } }
            turns += 1
        }
        if linkDelay == .zero { settle() }
        guard let result = outcome.result else { throw .stopped }
        return try result.get()
    }

    package func openWebRTC(_ request: WebRTCRequest) throws(EngineError) -> WebRTCAnswer {
        try run(.transport(publishes: request.direction == .publish, session: request.session)) {
            (worker, quiesced) throws(EngineError) in try worker.openWebRTC(request, quiesced)
        }
    }

    package func closeWebRTC(_ id: TransportID, session: String) throws(EngineError) {
        try run(.transport(id, session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.closeWebRTC(id, session: session, quiesced)
        }
    }

    package func restartICE(_ id: TransportID, session: String, peer credentials: ICECredentials) throws(EngineError)
        -> ICECredentials
    {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.restartICE(id, session: session, peer: credentials)
        }
    }

    package func setLayer(_ id: TransportID, session: String, _ choice: LayerChoice) throws(EngineError) {
        try run(.transport(id, session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.setLayer(id, session: session, choice, quiesced)
        }
    }

    package func setMuted(session: String, stream: String, kind: MediaKind, muted: Bool) throws(EngineError) {
        try run(.home(session: session), waitsForParts: true) { (worker, quiesced) throws(EngineError) in
            try worker.setMuted(session, stream, kind, muted, quiesced)
        }
    }

    package func openTap(session: String, stream: String, chooses: Bool) throws(EngineError) -> PacketTap {
        try run(.home(session: session)) { (worker, quiesced) throws(EngineError) in
            try worker.openTap(
                session, stream, Set(MediaKind.allCases), 4 << 20, decodes: false, chooses: chooses)
        }
    }

    package func streams(session: String) throws(EngineError) -> [StreamSnapshot] {
        try run(.home(session: session)) { (worker, quiesced) throws(EngineError) in try worker.streams(session) }
    }

    /// Closes all peers.
    package func close() {
        for worker in workers { worker.closeAll() }
        sink.finish()
    }

    package var counters: EngineCounters {
        var sum = EngineCounters()
        for worker in workers { sum.add(worker.countersNow()) }
        return sum
    }
}

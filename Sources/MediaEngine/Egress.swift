import CLinuxNet
import Forwarding
import MediaBase
import RTP
import SRTP
import Transport

/// Sends a worker's packets: gathers the pending packets of sessions until their deadlines, encrypts them in one batch, and delivers cached
/// frames to consumers that catch up. Subscribers that lost packets here are returned by `takeSlowed`.
final class Egress {
    /// Interval of deliveries to consumers that catch up: more than one per interval would overflow the subscribers' socket buffers.
    private static let catchUpInterval = MediaTime.milliseconds(1)

    /// Makes, uses and frees the keys of outgoing packets and of RTCP in both directions.
    let protector: FanoutProtector
    private var batch: EgressBatch
    private let sockets: EgressSockets
    private let clock: WorkerClock
    private let counters: UnsafeMutablePointer<EngineCounters>
    /// Sessions with pending packets.
    private var dirty: ContiguousArray<Unmanaged<EngineSession>> = []
    /// Sessions with a consumer that catches up.
    private var catchingUp: ContiguousArray<EngineSession> = []
    private var nextCatchUp: MediaTime = .zero
    /// Subscribers whose estimates were lowered because the kernel refused their packets.
    private var slowed: [SubscribeTransport] = []

    /// - Parameters:
    ///   - segments: datagrams that the kernel accepts in one message.
    ///   - counters: memory that the worker's other parts also write.
    init(
        _ protection: FanoutProtector.Backend, segments: Int, sockets: WorkerSockets?, virtual: VirtualIO?,
        counters: UnsafeMutablePointer<EngineCounters>
    ) {
        protector = FanoutProtector(protection)
        batch = EgressBatch(maximumSegments: segments)
        self.sockets = EgressSockets(sockets, virtual, counters)
        clock = WorkerClock(virtual)
        self.counters = counters
        dirty.reserveCapacity(64)
    }

    convenience init(
        _ configuration: EngineConfiguration, sockets: WorkerSockets?, virtual: VirtualIO?,
        counters: UnsafeMutablePointer<EngineCounters>
    ) {
        let segments = virtual == nil && configuration.offload == .automatic && millrace_has_gso() == 1
        self.init(
            configuration.protection, segments: segments ? 64 : 1, sockets: sockets, virtual: virtual,
            counters: counters)
    }

    /// Time at which `forwardDue` or `catchUp` is due next.
    var deadline: MediaTime {
        var deadline = catchingUp.isEmpty ? MediaTime.never : nextCatchUp
        for session in dirty { deadline = min(deadline, session._withUnsafeGuaranteedRef { $0.flushAt }) }
        return deadline
    }

    // MARK: pending packets

    /// Lists a session in whose router a packet was queued.
    /// - Parameter deadline: time by which the packet must be sent.
    @inline(__always)
    func queue(_ session: Unmanaged<EngineSession>, by deadline: MediaTime) {
        session._withUnsafeGuaranteedRef {
            if !$0.isDirty {
                $0.isDirty = true
                dirty.append(session)
            }
            $0.flushAt = min($0.flushAt, deadline)
        }
    }

    /// Sends the pending packets of sessions whose deadline has passed.
    func forwardDue() {
        guard !dirty.isEmpty else { return }
        let now = clock.now
        var kept = 0
        for i in 0..<dirty.count {
            let session = dirty[i]
            if session._withUnsafeGuaranteedRef({ $0.flushAt <= now }) {
                session._withUnsafeGuaranteedRef {
                    forward($0)
                    $0.isDirty = false
                }
            } else {
                dirty[kept] = session
                kept += 1
            }
        }
        dirty.removeLast(dirty.count - kept)
    }

    /// Sends the pending packets of all sessions. `Quiesced` calls it.
    func forwardAll() {
        for session in dirty {
            session._withUnsafeGuaranteedRef {
                forward($0)
                $0.isDirty = false
            }
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Sends the pending packets of one session.
    func forward(_ session: EngineSession) {
        session.router.forward(now: clock.now, into: &batch) { send(&$0, for: session) }
        session.flushAt = .never
        if session.router.hasNewCatchUps { noteCatchingUp(session) }
        if session.router.hasDrops { noteDrops(session) }
    }

    /// Encrypts and sends one batch.
    private func send(_ batch: inout EgressBatch, for session: EngineSession) {
        protector.protect(batch.jobs, count: batch.jobCount)
        let sent = sockets.send(&batch)
        counters.pointee.packetsForwarded &+= UInt64(sent.packets)
        counters.pointee.bytesForwarded &+= sent.bytes
        session.sentBytes &+= sent.bytes
        if batch.oldestArrival != .never, sent.packets > 0 {
            counters.pointee.delay.record(clock.now - batch.oldestArrival, packets: sent.packets)
            counters.pointee.waiting.record(batch.now - batch.oldestArrival, packets: sent.packets)
        }
    }

    // MARK: cached packets

    /// Lists a session in which a consumer may have begun to catch up.
    func noteCatchingUp(_ session: EngineSession) {
        session.router.hasNewCatchUps = false
        guard !session.isCatchingUp else { return }
        session.isCatchingUp = true
        catchingUp.append(session)
    }

    /// Sends the next cached frames to consumers that catch up, a few packets each, if they are due. Pending packets of their sessions are
    /// sent before them; those of other sessions still wait.
    func catchUp(_ now: MediaTime) {
        guard !catchingUp.isEmpty, now >= nextCatchUp else { return }
        nextCatchUp = now + Self.catchUpInterval
        var kept = 0
        for i in catchingUp.indices {
            let session = catchingUp[i]
            forward(session)
            session.router.catchUp(now: now, into: &batch) { send(&$0, for: session) }
            if session.router.hasDrops { noteDrops(session) }
            guard session.router.isCatchingUp else {
                session.isCatchingUp = false
                continue
            }
            catchingUp[kept] = session
            kept += 1
        }
        catchingUp.removeLast(catchingUp.count - kept)
    }

    /// Sends packets again that a subscriber has requested, within the limits of its session and of its track.
    /// - Parameter percent: limit of retransmissions, relative to all packets.
    func retransmit(
        _ wanted: EngineSession.Retransmission, to transport: SubscribeTransport, percent: UInt64, now: MediaTime
    ) {
        let session = transport.session
        let track = wanted.track
        guard session.retransmittedBytes <= session.sentBytes / 100 &* percent,
            Self.mayRetransmit(to: track, wanted.producer, percent)
        else {
            counters.pointee.retransmissionsLimited &+= UInt64(wanted.sequences.count)
            return
        }
        // Pending packets of this session must be sent before their retransmission. Other sessions are not affected.
        forward(session)
        let before = session.sentBytes
        let sent = session.router.retransmit(
            wanted.sequences, path: track.path, producer: wanted.producer, now: now, into: &batch
        ) { send(&$0, for: session) }
        if session.router.hasDrops { noteDrops(session) }
        session.retransmittedBytes &+= session.sentBytes &- before
        counters.pointee.packetsRetransmitted &+= UInt64(sent)
        transport.decisions.count(.packetsSentAgain, stream: track.streamName, sent, now: now)
    }

    /// Returns whether a subscriber's retransmissions are within the limit of its own packets, so
    /// that one subscriber cannot use up the session's share.
    private static func mayRetransmit(to track: SubscribedTrack, _ producer: Producer, _ percent: UInt64) -> Bool {
        guard let i = producer.core.pointee.index(path: track.path) else { return false }
        let consumer = producer.core.pointee.consumers + i
        return consumer.pointee.retransmitted <= consumer.pointee.progress.packets &* percent / 100
    }

    /// Sends padding of a probe, after the pending packets of its session.
    /// - Returns: the number of bytes that were sent.
    func sendPadding(_ bytes: Int, to outbound: SubscribeTransport, of probe: ProbePacer) -> Int {
        let session = outbound.session
        forward(session)
        let sent = session.router.sendPadding(
            bytes: bytes, path: outbound.path, probe: probe.probe.id, repeats: !outbound.isPipe, now: clock.now,
            into: &batch
        ) { send(&$0, for: session) }
        counters.pointee.probeBytes &+= UInt64(sent)
        if session.router.hasDrops { noteDrops(session) }
        return sent
    }

    // MARK: drops

    /// Reports dropped packets to the estimators of the affected paths, which then lower their targets.
    private func noteDrops(_ session: EngineSession) {
        let now = clock.now
        for drop in session.router.takeDrops() {
            guard let transport = session.subscribersByPath[drop.path], !transport.isPlain || transport.isPipe else {
                continue
            }
            transport.decisions.count(.packetsUnsent, stream: nil, drop.packets, now: now)
            guard let estimator = transport.estimator else { continue }
            estimator.receive(unsent: drop.packets, now: now)
            slowed.append(transport)
        }
    }

    var hasSlowed: Bool { !slowed.isEmpty }

    /// Returns the subscribers that need a new allocation because their packets were dropped, and forgets them.
    func takeSlowed() -> [SubscribeTransport] {
        defer { slowed = [] }
        return slowed
    }

    // MARK: single datagrams

    /// Returns the index of the socket that sends media to an address.
    func socket(for address: PeerAddress, _ name: WorkerSockets.Name) -> UInt8 { sockets.socket(for: address, name) }

    /// Sends one datagram that is not media.
    func transmit(_ bytes: UnsafeRawBufferPointer, to address: PeerAddress, _ name: WorkerSockets.Name) {
        sockets.send(bytes, to: address, name)
    }

    /// Encrypts and sends a compound of RTCP.
    func sendRTCP(
        _ bytes: [UInt8], _ egressContext: UnsafeMutablePointer<EgressContext>, to address: PeerAddress,
        _ name: WorkerSockets.Name
    ) {
        let capacity = bytes.count + egressContext.pointee.suite.rtcpOverhead
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { buffer in
            buffer.copyBytes(from: bytes)
            var length = bytes.count
            do {
                try protector.protectRTCP(egressContext, buffer.baseAddress!, length: &length, capacity: capacity)
            } catch {
                return  // the index is used up after 2^31 packets (RFC 3711 section 9.2)
            }
            sockets.send(UnsafeRawBufferPointer(start: buffer.baseAddress, count: length), to: address, name)
            counters.pointee.rtcpSent &+= 1
        }
    }
}

import CLinuxNet
import DTLS
import Forwarding
import Glibc
import MediaBase
import RTP
import SRTP
import Transport

/// Owner of sockets, sessions and their packets, which shares nothing: only its thread (`WorkerThread`) touches this object, except for the
/// mailbox. In virtual time there are no thread and no sockets; `VirtualEngine` replaces both.
final class Worker: @unchecked Sendable {
    let index: Int
    let configuration: EngineConfiguration
    let totals: WorkerTotals
    let placement: SharedPlacement
    let mailbox: Mailbox
    let events: EventSink
    /// Nil in virtual time.
    let sockets: WorkerSockets?
    /// Nil in real time.
    let virtual: VirtualIO?
    /// Maximum length of a datagram, above the Ethernet MTU. Longer datagrams are dropped as oversized.
    static let maximumDatagram = 2048

    // State of the packet path.
    let egress: Egress
    /// `egress` without a reference count, which each packet would change.
    private let sending: Unmanaged<Egress>
    let clock: WorkerClock
    /// Memory that holds `counters`, so that crash reports can read them.
    private let counterBlock: CounterBlock
    let counterMemory: UnsafeMutablePointer<EngineCounters>
    @inline(__always)
    var counters: EngineCounters {
        _read { yield counterMemory.pointee }
        _modify { yield &counterMemory.pointee }
    }
    /// Receive path of plain transports.
    var plain = PlainIngress()
    var inbound = InboundTable()
    var gathering: GatherPolicy
    /// Use of a core by the worker's thread.
    var measuredLoad = MeasuredLoad()
    var taps = TapDelivery()
    /// Links with the other workers, for sessions that have parts on several.
    var links: WorkerLinks

    // State of WebRTC transports.
    /// Replaced by `advertise`.
    var parameters: RelayParameters
    var peers: PeerTable
    var search = PublisherSearch()
    var awaited = AwaitedSubscribers()
    var allocator = SubscriberAllocator()

    // State of control calls.
    var sessions: SessionTable
    var housekeepingSchedule = HousekeepingSchedule()
    var numbers: IdentifierSource
    var isStopping = false
    #if DEBUG
        var faults: FaultInjector
    #endif

    /// - Parameters:
    ///   - totals, placement: shared with the other workers of an engine; nil: the worker is alone.
    ///   - virtual: replacement of clock and sockets; nil: the real ones.
    ///   - seed: makes names, SSRCs and first sequence numbers repeatable; nil: they are unpredictable, as production requires.
    init(
        index: Int, configuration: EngineConfiguration, identity: DTLSIdentity, events: EventSink,
        totals: WorkerTotals? = nil, placement: SharedPlacement? = nil, virtual: VirtualIO? = nil, seed: UInt64? = nil
    ) throws(EngineError) {
        self.index = index
        self.totals = totals ?? WorkerTotals(workers: index + 1)
        self.placement = placement ?? SharedPlacement(workers: index + 1, limit: configuration.limits.sessions)
        links = WorkerLinks(worker: index)
        peers = PeerTable(total: self.totals.unestablished, worker: index)
        #if DEBUG
            faults = FaultInjector(configuration.fault)
        #endif
        sessions = SessionTable(
            total: self.totals.sessions, worker: index, limits: configuration.limits,
            loudest: configuration.webRTC.loudestAudio)
        counterBlock = CounterBlock(worker: index)
        counterMemory = counterBlock.counters
        self.configuration = configuration
        self.events = events
        self.virtual = virtual
        mailbox = Mailbox(limit: configuration.limits.mailbox)
        guard mailbox.event >= 0 else { throw .systemCall(name: "eventfd", errno: -mailbox.event) }
        try configuration.checkBindAddress()
        gathering = try GatherPolicy(configuration)
        sockets = virtual == nil ? try WorkerSockets(configuration, worker: index) : nil
        parameters = RelayParameters(configuration, identity: identity, sockets: sockets, worker: index)
        egress = Egress(configuration, sockets: sockets, virtual: virtual, counters: counterMemory)
        sending = .passUnretained(egress)
        clock = WorkerClock(virtual)
        numbers = IdentifierSource(worker: index, seed: seed)
    }

    /// Returns the time of the worker's clock.
    @inline(__always)
    func time() -> MediaTime { clock.now }

    /// Returns nanoseconds since 1970.
    func realTime() -> Int64 { clock.realTime }

    var rtpPort: UInt16 { sockets?.rtpPort ?? configuration.plainPort &+ UInt16(2 * index) }
    var rtcpPort: UInt16 { sockets?.rtcpPort ?? rtpPort &+ 1 }
    var webRTCPort: UInt16 { sockets?.webRTCPort ?? configuration.webRTC.port &+ UInt16(index) }

    // MARK: packets

    func receive(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: PeerAddress, on name: WorkerSockets.Name, now: MediaTime
    ) {
        guard length <= Self.maximumDatagram else {
            counters.droppedOversized &+= 1
            return
        }
        if name == .webRTC {
            receiveWebRTC(bytes, length: length, from: from, now: now)
            return
        }
        let view = UnsafeRawBufferPointer(start: bytes, count: length)
        switch DatagramKind(view) {
        case .rtp where name == .rtp: receiveRTP(bytes, length: length, from: from.address, now: now)
        case .rtcp:
            let received = plain.receiveRTCP(
                bytes, length: length, from: from.address, now: now, inbound, egress.protector, &counters)
            if let received { handle(received, now: now) }
        default: counters.droppedUnknownKind &+= 1
        }
    }

    /// Receives RTP of a plain publisher.
    private func receiveRTP(_ bytes: UnsafeMutableRawPointer, length: Int, from: SocketAddress, now: MediaTime) {
        guard let packet = plain.receive(bytes, length: length, from: from, now: now, inbound, &counters) else {
            return
        }
        forward(
            packet.header, packet.payload, packet.extensions, descriptor: packet.descriptor, of: packet.track, now: now)
    }

    /// Sends the pending packets of all sessions.
    func flush() -> Quiesced {
        let quiesced = Quiesced(flushing: egress)
        allocateSlowed()
        return quiesced
    }

    /// Makes a new allocation due for subscribers whose packets were dropped.
    func allocateSlowed() {
        guard sending._withUnsafeGuaranteedRef({ $0.hasSlowed }) else { return }
        let now = time()
        for transport in egress.takeSlowed() { allocateSoon(transport, now: now) }
    }

    /// Passes an authentic packet to its producer and queues it for the consumers.
    /// - Parameter isNumbered: whether the packet has passed through the track's `ParameterSetInserter`, if it has one.
    func forward(
        _ header: RTPHeader, _ payload: UnsafeRawBufferPointer, _ extensions: RTPExtensionValues = RTPExtensionValues(),
        descriptor: UnsafeRawBufferPointer? = nil, of track: UnsafeMutablePointer<InboundTrack>, now: MediaTime,
        isNumbered: Bool = false
    ) {
        if track.pointee.insertsParameterSets, !isNumbered {
            insertParameterSets(header, payload, extensions, descriptor, of: track, now: now)
            return
        }
        #if DEBUG
            guard let (header, track) = faults.diverted(header, track, sessions, inbound) else { return }
        #endif
        track.pointee.producer._withUnsafeGuaranteedRef { producer in
            if producer.needsRoom {
                track.pointee.session._withUnsafeGuaranteedRef { session in
                    sending._withUnsafeGuaranteedRef { $0.forward(session) }
                }
                producer.makeRoom()
            }
            var slot: UnsafeMutablePointer<StoredPacket>?
            let outcome = producer.receive(
                header, payload: payload, extensions: extensions, descriptor: descriptor, now: now, stored: &slot)
            inbound.askWhenDue(track, producer)
            guard outcome == .forward, let slot else {
                track.pointee.headers?.note(header, [], PacketFate(outcome), now: now)
                counters.count(outcome)
                return
            }
            // The home worker has counted a mirrored packet.
            if !track.pointee.isMirror { counters.packetsReceived &+= 1 }
            #if DEBUG
                if faults.swallows(slot, of: track, now: now) { return }
            #endif
            if track.pointee.hasTaps {
                taps.push(slot, slot.pointee.primary(of: payload), of: track, producer, &counters)
            }
            track.pointee.session._withUnsafeGuaranteedRef { session in
                if session.visitDue > now { housekeepingSchedule.visitSoon(session, now: now) }
                if producer.kind == .audio, !session.isPart,
                    !session.isHeard(extensions.audioLevel, track, producer, now: now)
                {
                    counters.packetsWithheld &+= 1
                    if !track.pointee.isWithheld {
                        session.withhold(track, producer, egress)
                        links.append(LinkRecord(withheld: track, now: now), to: session.parts.receivers)
                    }
                    track.pointee.headers?.note(header, slot.pointee.flags, .withheld, now: now)
                    return
                }
                track.pointee.headers?.note(header, slot.pointee.flags, .forwarded, now: now)
                if session.parts.receivers != 0 {
                    let lacksKeyFrame = links.copy(slot, header, payload, descriptor, of: track, now: now, &counters)
                    if lacksKeyFrame { requestKeyFrame(of: producer) }
                }
                if !session.router.enqueue(slot, of: producer) {
                    sending._withUnsafeGuaranteedRef { $0.forward(session) }
                    // An empty queue accepts any packet that fits a datagram.
                    _ = session.router.enqueue(slot, of: producer)
                }
                let deadline = gathering.deadline(
                    producer.kind, slot.pointee.flags, audioProducers: session.audioProducers,
                    newPathUntil: session.newPathUntil, now: now)
                sending._withUnsafeGuaranteedRef { $0.queue(track.pointee.session, by: deadline) }
            }
        }
    }
}

internal import CLinuxNet
internal import Forwarding
internal import Glibc
internal import MediaBase
internal import RTP
internal import SRTP

/// One OS thread that owns sockets, sessions and their packets, and shares nothing: everything here but the mailbox is touched by
/// that thread alone.
///
/// A turn of the loop: wait, run what the mailbox holds, take datagrams, forward what is due, do timers.
final class Worker: @unchecked Sendable {
    let index: Int
    let configuration: EngineConfiguration
    let mailbox: Mailbox
    let events: EventSink

    // Sockets.
    let rtpSocket: Int32
    let rtcpSocket: Int32
    let rtpPort: UInt16
    let rtcpPort: UInt16
    private let rtpReceiver: OpaquePointer
    private let rtcpReceiver: OpaquePointer
    private let datagrams: UnsafeMutablePointer<millrace_datagram>
    let sender: OpaquePointer
    private static let receiveSlots = 32
    /// Longer datagrams are no RTP of ours: an Ethernet frame and some.
    static let maximumDatagram = 2048

    // The packet path.
    var protector: FanoutProtector
    var batch: EgressBatch
    var counters = EngineCounters()
    var inboundTable = SSRCTable()
    var inbound: UnsafeMutablePointer<InboundTrack>
    var inboundCapacity = 16
    var inboundFree: [Int] = []
    var inboundCount = 0
    /// Sessions with packets pending.
    var dirty: ContiguousArray<Unmanaged<EngineSession>> = []
    var catchingUp: ContiguousArray<EngineSession> = []
    var nextCatchUp: MediaTime = .zero
    /// Inbound tracks that want something of their publisher, and when the first of it is due.
    var asking: ContiguousArray<Int> = []
    var nextRequests: MediaTime = .never
    var lastRequests: MediaTime = .zero
    /// Inbound tracks whose taps got something in this turn.
    private var tapped: ContiguousArray<PacketTap> = []

    // Control.
    var sessions: [String: EngineSession] = [:]
    /// Where RTCP of subscribers comes from. Several may name one address, the oldest comes first.
    var subscribersByAddress: [SocketAddress: [(session: EngineSession, transport: SubscribeTransport)]] = [:]
    var nextHousekeeping: MediaTime = .zero
    /// Sessions that housekeeping has still to come to in this round.
    var sweep: [EngineSession] = []
    var random = SystemRandomNumberGenerator()
    private var isStopping = false
    /// Control calls taken from the mailbox, and how many of them have run.
    private var work: [Mailbox.Work] = []
    private var workDone = 0
    /// Control calls of one turn, after which packets come first again.
    private static let workSlice = MediaTime.milliseconds(1)
    private var thread = pthread_t()

    init(index: Int, configuration: EngineConfiguration, events: EventSink) throws(EngineError) {
        self.index = index
        self.configuration = configuration
        self.events = events
        mailbox = Mailbox(limit: configuration.limits.mailbox)
        guard mailbox.event >= 0 else { throw .systemCall(name: "eventfd", errno: -mailbox.event) }
        let pair = try UDPPortPair(configuration, worker: index)
        rtpSocket = pair.rtp
        rtcpSocket = pair.rtcp
        rtpPort = pair.port
        rtcpPort = pair.rtcpPort
        let gro = configuration.offload == .automatic && millrace_has_gro() == 1
        guard
            let rtpReceiver = millrace_receiver_new(Int32(Self.receiveSlots), gro ? 65_536 : Self.maximumDatagram + 1),
            let rtcpReceiver = millrace_receiver_new(Int32(Self.receiveSlots), Self.maximumDatagram + 1),
            let sender = millrace_sender_new(1024)
        else { throw .systemCall(name: "mmap", errno: ENOMEM) }
        self.rtpReceiver = rtpReceiver
        self.rtcpReceiver = rtcpReceiver
        self.sender = sender
        datagrams = .allocate(capacity: Self.receiveSlots)
        protector = FanoutProtector(configuration.protection)
        let gso = configuration.offload == .automatic && millrace_has_gso() == 1
        batch = EgressBatch(maximumSegments: gso ? 64 : 1)
        inbound = .allocate(capacity: inboundCapacity)
        dirty.reserveCapacity(64)
        tapped.reserveCapacity(64)
        // The C sender reads Swift's messages as its own.
        precondition(
            MemoryLayout<EgressMessage>.stride == MemoryLayout<millrace_message>.stride
                && MemoryLayout<SocketAddress>.size == MemoryLayout<millrace_address>.size)
    }

    deinit {
        millrace_receiver_free(rtpReceiver)
        millrace_receiver_free(rtcpReceiver)
        millrace_sender_free(sender)
        datagrams.deallocate()
        inbound.deallocate()
        millrace_close(rtpSocket)
        millrace_close(rtcpSocket)
    }

    func start() {
        let box = Unmanaged.passRetained(self)
        pthread_create(
            &thread, nil,
            { raw in
                let worker = Unmanaged<Worker>.fromOpaque(raw!).takeRetainedValue()
                worker.run()
                return nil
            }, box.toOpaque())
    }

    /// Ends the loop and waits for the thread. What the mailbox holds is still run.
    func stop() {
        mailbox.close { $0.isStopping = true }
        pthread_join(thread, nil)
    }

    private func run() {
        millrace_thread_name("media-\(index)")
        var descriptors = (mailbox.event, rtpSocket, rtcpSocket)
        while true {
            let now = MediaTime(rawValue: millrace_monotonic_ns())
            let timeout = work.isEmpty ? max(0, (nextDeadline() - now).rawValue) : 0
            let ready = withUnsafeBytes(of: &descriptors) {
                millrace_wait($0.assumingMemoryBound(to: Int32.self).baseAddress, 3, timeout)
            }
            if ready & 1 != 0 || !work.isEmpty, !runMailbox() { break }
            if ready & 2 != 0 { drain(rtpSocket, rtpReceiver) }
            if ready & 4 != 0 { drain(rtcpSocket, rtcpReceiver) }
            forwardDue()
            let after = MediaTime(rawValue: millrace_monotonic_ns())
            if !catchingUp.isEmpty, after >= nextCatchUp { catchUp(after) }
            if after >= nextRequests { sendRequests(after) }
            if after >= nextHousekeeping { housekeeping(after) }
        }
        closeAll()
    }

    private func nextDeadline() -> MediaTime {
        var deadline = min(nextHousekeeping, nextRequests)
        for session in dirty {
            deadline = min(deadline, session._withUnsafeGuaranteedRef { $0.flushAt })
        }
        if !catchingUp.isEmpty { deadline = min(deadline, nextCatchUp) }
        return deadline
    }

    private func runMailbox() -> Bool {
        if work.isEmpty { work = mailbox.takeAll() }
        if !work.isEmpty {
            // Control calls may move paths and consumers: nothing may be pending meanwhile.
            forwardAll()
            let end = millrace_monotonic_ns() + Self.workSlice.rawValue
            repeat {
                work[workDone](self)
                workDone += 1
            } while workDone < work.count && millrace_monotonic_ns() < end
            if workDone == work.count {
                work = []
                workDone = 0
            }
        }
        counters.workerCPU = UInt64(millrace_thread_cpu_ns())
        return !isStopping
    }

    // MARK: packets

    /// Takes what is there, in a few rounds at most: what is pending must leave in time.
    private func drain(_ socket: Int32, _ receiver: OpaquePointer) {
        for _ in 0..<4 {
            var truncated: UInt32 = 0
            let count = Int(millrace_receive(receiver, socket, datagrams, &truncated))
            counters.droppedOversized &+= UInt64(truncated)
            guard count > 0 else { break }
            let now = MediaTime(rawValue: millrace_monotonic_ns())
            for i in 0..<count { receive(datagrams + i, onRTCPSocket: socket == rtcpSocket, now: now) }
            if count < Self.receiveSlots { break }
        }
        if !tapped.isEmpty {
            for tap in tapped { tap.flush() }
            tapped.removeAll(keepingCapacity: true)
        }
    }

    private func receive(_ datagram: UnsafeMutablePointer<millrace_datagram>, onRTCPSocket: Bool, now: MediaTime) {
        let segment = datagram.pointee.segment == 0 ? datagram.pointee.length : datagram.pointee.segment
        var left = Int(datagram.pointee.length)
        var bytes = UnsafeMutableRawPointer(datagram.pointee.data!)
        counters.bytesReceived &+= UInt64(left)
        while left > 0 {
            let length = min(Int(segment), left)
            counters.datagramsReceived &+= 1
            receive(
                bytes, length: length, from: &datagram.pointee.from, onRTCPSocket: onRTCPSocket, now: now)
            bytes += length
            left -= length
        }
    }

    private func receive(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: UnsafePointer<millrace_address>, onRTCPSocket: Bool,
        now: MediaTime
    ) {
        guard length <= Self.maximumDatagram else {
            counters.droppedOversized &+= 1
            return
        }
        let view = UnsafeRawBufferPointer(start: bytes, count: length)
        switch DatagramKind(view) {
        case .rtp where !onRTCPSocket: receiveRTP(bytes, length: length, from: from, now: now)
        case .rtcp: receiveRTCP(bytes, length: length, from: from, onRTCPSocket: onRTCPSocket, now: now)
        default: counters.droppedUnknownKind &+= 1
        }
    }

    private func receiveRTP(
        _ bytes: UnsafeMutableRawPointer, length: Int, from: UnsafePointer<millrace_address>, now: MediaTime
    ) {
        guard length >= RTPHeader.fixedLength else {
            counters.droppedMalformed &+= 1
            return
        }
        let ssrc = SSRC(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        guard let index = inboundTable.find(ssrc) else {
            counters.droppedUnknownSSRC &+= 1
            return
        }
        let track = inbound + index
        var plain = length
        let failure = track.pointee.transport._withUnsafeGuaranteedRef { transport -> SRTPFailure? in
            do throws(SRTPFailure) {
                try transport.context.unprotect(bytes, length: &plain)
            } catch {
                return error
            }
            transport.lastAuthentic = now
            return nil
        }
        if let failure {
            count(failure)
            return
        }
        let packet = UnsafeRawBufferPointer(start: bytes, count: plain)
        let header: RTPHeader
        do {
            header = try RTPHeader(parsing: packet)
        } catch {
            counters.droppedMalformed &+= 1
            return
        }
        latch(&track.pointee.rtpAddress, from)
        let payload = UnsafeRawBufferPointer(
            rebasing: packet[header.payloadOffset..<(header.payloadOffset + header.payloadLength)])
        forward(header, payload, of: track, now: now)
    }

    private func forward(
        _ header: RTPHeader, _ payload: UnsafeRawBufferPointer, of track: UnsafeMutablePointer<InboundTrack>,
        now: MediaTime
    ) {
        track.pointee.producer._withUnsafeGuaranteedRef { producer in
            var slot: UnsafeMutablePointer<StoredPacket>?
            let outcome = producer.receive(header, payload: payload, now: now, stored: &slot)
            askWhenDue(track, producer)
            switch outcome {
            case .forward: break
            case .muted:
                counters.packetsMuted &+= 1
                return
            case .wrongPayloadType:
                counters.droppedPayloadType &+= 1
                return
            case .tooOld:
                counters.droppedTooOld &+= 1
                return
            case .duplicate:
                counters.droppedDuplicate &+= 1
                return
            case .malformed:
                counters.droppedMalformed &+= 1
                return
            }
            guard let slot else { return }
            counters.packetsReceived &+= 1
            if track.pointee.hasTaps { offer(slot, payload, of: track, producer) }
            track.pointee.session._withUnsafeGuaranteedRef { session in
                if !session.router.enqueue(slot, of: producer) {
                    forward(session)
                    // An empty queue takes any packet that a datagram can hold.
                    _ = session.router.enqueue(slot, of: producer)
                }
                if !session.isDirty {
                    session.isDirty = true
                    dirty.append(track.pointee.session)
                }
                session.flushAt = min(session.flushAt, deadline(for: slot, producer, session, now))
            }
        }
    }

    /// When a packet has to leave. The end of a frame leaves at once, and the frame's packets wait for it; audio waits only where
    /// other audio may come to share its sends.
    private func deadline(
        for slot: UnsafeMutablePointer<StoredPacket>, _ producer: Producer, _ session: EngineSession, _ now: MediaTime
    ) -> MediaTime {
        if slot.pointee.flags.contains(.late) { return now }
        if producer.kind == .video {
            return slot.pointee.flags.contains(.marker) ? now : now + configuration.gather
        }
        return session.audioProducers > 1 ? now + configuration.gather : now
    }

    private func offer(
        _ slot: UnsafeMutablePointer<StoredPacket>, _ payload: UnsafeRawBufferPointer,
        of track: UnsafeMutablePointer<InboundTrack>, _ producer: Producer
    ) {
        let packet = TapPacket(slot.pointee, payload, of: producer)
        for tap in track.pointee.stream._withUnsafeGuaranteedRef({ $0.taps }) where tap.wants(producer.kind) {
            if !tap.push(packet) { counters.droppedTap &+= 1 }
            tapped.append(tap)
        }
    }

    private func latch(_ address: inout SocketAddress, _ from: UnsafePointer<millrace_address>) {
        let raw = UnsafeRawBufferPointer(start: from, count: Int(from.pointee.length))
        guard let new = SocketAddress(kernelBytes: raw), new != address else { return }
        address = new
    }

    func count(_ failure: SRTPFailure) {
        switch failure {
        case .authentication: counters.droppedAuthentication &+= 1
        case .replay: counters.droppedReplay &+= 1
        case .unknownStream: counters.droppedUnknownSSRC &+= 1
        case .malformed, .capacity, .keyExpired, .invalidKey, .library: counters.droppedMalformed &+= 1
        }
    }
}

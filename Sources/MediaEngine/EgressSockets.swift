import CLinuxNet
import Forwarding
import Glibc
import MediaBase
import Transport

/// Sends a worker's datagrams through its sockets, its TCP connections or `VirtualIO`, without waiting. Sent and refused datagrams are counted.
struct EgressSockets: ~Copyable {
    /// Nil in virtual time.
    private let sockets: WorkerSockets?
    /// `sockets` without a reference count, which each send call would change.
    private let senders: Unmanaged<WorkerSockets>?
    /// Sender of complete Ethernet frames, without a reference count; nil if there is none.
    private let rawSender: Unmanaged<RawSender>?
    /// Nil in real time.
    private let virtual: VirtualIO?
    private let counters: UnsafeMutablePointer<EngineCounters>

    init(_ sockets: WorkerSockets?, _ virtual: VirtualIO?, _ counters: UnsafeMutablePointer<EngineCounters>) {
        self.sockets = sockets
        senders = sockets.map(Unmanaged.passUnretained)
        rawSender = (sockets?.rawSender).map(Unmanaged.passUnretained)
        self.virtual = virtual
        self.counters = counters
        // The C sender reads Swift's messages directly, so that the layouts must match.
        precondition(
            MemoryLayout<EgressMessage>.stride == MemoryLayout<millrace_message>.stride
                && MemoryLayout<SocketAddress>.size == MemoryLayout<millrace_address>.size
                && EgressMessage.sentSocket == MILLRACE_SENT)
    }

    /// Returns the index of the socket that sends media to an address.
    func socket(for address: PeerAddress, _ name: WorkerSockets.Name) -> UInt8 {
        sockets?.socket(for: address, name) ?? 0
    }

    // MARK: batches

    /// Sends an encrypted batch. Refused messages are marked with their cause.
    /// - Returns: the packets and bytes that were sent.
    func send(_ batch: inout EgressBatch) -> (packets: Int, bytes: UInt64) {
        var bytes: UInt64 = 0
        var unsent = 0
        for lane in EgressLane.allCases {
            let messages = batch.messages(of: lane)
            guard !messages.isEmpty else { continue }
            let refused =
                switch lane {
                case .plain: transmit(messages, .rtp, &batch)
                case .webRTC: transmit(messages, .webRTC, &batch)
                case .tcp: stream(messages, &batch)
                }
            for message in messages { bytes &+= UInt64(message.length) }
            guard refused > 0 else { continue }
            for message in messages {
                guard let cause = message.drop else { continue }
                bytes &-= UInt64(message.length)
                unsent += message.packets
                counters.pointee.sendDrops[cause] &+= UInt64(message.packets)
            }
        }
        return (batch.jobCount - min(unsent, batch.jobCount), bytes)
    }

    /// Sends messages, and marks those that were refused.
    /// - Returns: the number of refused messages.
    private func transmit(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, _ name: WorkerSockets.Name, _ batch: inout EgressBatch
    ) -> Int {
        guard let base = messages.baseAddress else { return 0 }
        counters.pointee.sendMessages &+= UInt64(messages.count)
        guard let senders else { return virtual?.send(messages, name, &batch) ?? 0 }
        if let rawSender {
            let port = senders._withUnsafeGuaranteedRef { name == .webRTC ? $0.webRTCPort : $0.rtpPort }
            rawSender._withUnsafeGuaranteedRef { $0.send(messages, port: port, now: batch.now, &counters.pointee) }
        }
        var error: Int32 = 0
        let refused = senders._withUnsafeGuaranteedRef {
            $0.send(messages, name, error: &error, calls: &counters.pointee.sendCalls)
        }
        // EIO: a network device on the route cannot segment, so that packets are sent one by one
        // from now on. Other errors concern a single message.
        if error == EIO { batch.maximumSegments = 1 }
        guard refused > 0 else { return 0 }
        counters.pointee.sendErrors &+= UInt64(refused)
        for i in messages.indices where messages[i].error != 0 {
            batch.drop(base + i, SendDropCause(errno: Int32(messages[i].error)))
        }
        return refused
    }

    /// Sends messages packet by packet over the TCP connections of their paths.
    /// - Returns: the number of messages that were not sent.
    private func stream(_ messages: UnsafeMutableBufferPointer<EgressMessage>, _ batch: inout EgressBatch) -> Int {
        var refused = 0
        guard let base = messages.baseAddress else { return 0 }
        for i in messages.indices {
            let message = messages[i]
            let path = EgressBatch.path(of: message)
            let to = PeerAddress(path.pointee.address, connection: path.pointee.connection)
            var at = 0
            var failure: SendDropCause?
            while at < Int(message.length) {
                let length = min(Int(message.segment), Int(message.length) - at)
                failure = stream(UnsafeRawBufferPointer(start: message.data + at, count: length), to: to) ?? failure
                at += length
            }
            guard let failure else { continue }
            batch.drop(base + i, failure)
            counters.pointee.sendErrors &+= 1
            refused += 1
        }
        return refused
    }

    /// - Returns: the cause if the datagram was dropped.
    private func stream(_ datagram: UnsafeRawBufferPointer, to address: PeerAddress) -> SendDropCause? {
        guard let sockets else { return virtual?.send(datagram, to: address, .webRTC) }
        switch sockets.tcp?.send(address.connection, datagram) {
        case .sent: return nil
        case .full: return .bufferFull
        case .tooLong: return .tooLong
        case .closed, nil: return .closed
        }
    }

    // MARK: single datagrams

    /// Sends one datagram that is not media (STUN, DTLS, RTCP). Any socket of the port may send it: if the send buffer of
    /// one interface is full, answers to peers behind other interfaces still leave.
    func send(_ bytes: UnsafeRawBufferPointer, to address: PeerAddress, _ name: WorkerSockets.Name) {
        guard let base = bytes.baseAddress else { return }
        if address.isTCP || virtual != nil {
            let failure =
                address.isTCP ? stream(bytes, to: address) : virtual.flatMap { $0.send(bytes, to: address, name) }
            if !address.isTCP { counters.pointee.sendMessages &+= 1 }
            if let failure { countUnsent(failure) }
            return
        }
        guard let sockets else { return }
        counters.pointee.sendMessages &+= 1
        let local = address.local
        withUnsafePointer(to: address.address) { address in
            var error: Int32 = 0
            for socket in 0..<sockets.senderCount(name) {
                var message = EgressMessage(
                    data: base.assumingMemoryBound(to: UInt8.self), address: address, length: UInt32(bytes.count),
                    segment: UInt32(bytes.count), local: local, socket: UInt8(socket))
                let refused = withUnsafeMutablePointer(to: &message) {
                    let messages = UnsafeMutableBufferPointer(start: $0, count: 1)
                    return sockets.send(messages, name, error: &error, calls: &counters.pointee.sendCalls)
                }
                guard refused > 0 else { return }
                if error != EAGAIN { break }
            }
            countUnsent(SendDropCause(errno: error))
        }
    }

    private func countUnsent(_ cause: SendDropCause) {
        counters.pointee.sendErrors &+= 1
        counters.pointee.sendDrops[cause] &+= 1
    }
}

import CLinuxNet
import Forwarding
import Glibc
import MediaBase
import Transport

/// Sending of pending packets through the sockets.
extension Worker {
    func forwardDue() {
        guard !dirty.isEmpty else { return }
        let now = time()
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

    func forward(_ session: EngineSession) {
        session.router.forward(now: time(), into: &batch) { send(&$0, for: session) }
        session.flushAt = .never
        if session.router.hasNewCatchUps { noteCatchingUp(session) }
        if session.router.hasDrops { noteDrops(session) }
    }

    /// Encrypts and sends one batch.
    func send(_ batch: inout EgressBatch, for session: EngineSession) {
        protector.protect(batch.jobs, count: batch.jobCount)
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
                counters.sendDrops[cause] &+= UInt64(message.packets)
            }
        }
        let sent = batch.jobCount - min(unsent, batch.jobCount)
        counters.packetsForwarded &+= UInt64(sent)
        counters.bytesForwarded &+= bytes
        session.sentBytes &+= bytes
        if batch.oldestArrival != .never, sent > 0 {
            counters.delay.record(time() - batch.oldestArrival, packets: sent)
        }
    }

    /// Sends messages packet by packet over the TCP connections of their paths.
    /// - Returns: the number of messages that were not sent.
    private func stream(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, _ batch: inout EgressBatch
    ) -> Int {
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
            counters.sendErrors &+= 1
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

    /// Sends messages without waiting, and marks those that were refused.
    /// - Returns: the number of refused messages.
    private func transmit(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, _ name: WorkerSockets.Name, _ batch: inout EgressBatch
    ) -> Int {
        guard let base = messages.baseAddress else { return 0 }
        counters.sendMessages &+= UInt64(messages.count)
        guard let senders else { return virtual?.send(messages, name, &batch) ?? 0 }
        var error: Int32 = 0
        let refused = senders._withUnsafeGuaranteedRef {
            $0.send(messages, name, error: &error, calls: &counters.sendCalls)
        }
        // EIO: a network device on the route cannot segment, so that packets are sent one by one
        // from now on. Other errors concern a single message.
        if error == EIO { batch.maximumSegments = 1 }
        guard refused > 0 else { return 0 }
        counters.sendErrors &+= UInt64(refused)
        for i in messages.indices where messages[i].error != 0 {
            batch.drop(base + i, SendDropCause(errno: Int32(messages[i].error)))
        }
        return refused
    }

    /// Sends one datagram that is not media (STUN, DTLS, RTCP) without waiting. Any socket of the port may send it: if the send buffer of
    /// one interface is full, answers to peers behind other interfaces still leave.
    func transmit(_ bytes: UnsafeRawBufferPointer, to address: PeerAddress, _ name: WorkerSockets.Name) {
        guard let base = bytes.baseAddress else { return }
        if address.isTCP || virtual != nil {
            let failure =
                address.isTCP ? stream(bytes, to: address) : virtual.flatMap { $0.send(bytes, to: address, name) }
            if !address.isTCP { counters.sendMessages &+= 1 }
            if let failure { countUnsent(failure) }
            return
        }
        guard let sockets else { return }
        counters.sendMessages &+= 1
        let local = address.local
        withUnsafePointer(to: address.address) { address in
            var error: Int32 = 0
            for socket in 0..<sockets.senderCount(name) {
                var message = EgressMessage(
                    data: base.assumingMemoryBound(to: UInt8.self), address: address, length: UInt32(bytes.count),
                    segment: UInt32(bytes.count), local: local, socket: UInt8(socket))
                let refused = withUnsafeMutablePointer(to: &message) {
                    let messages = UnsafeMutableBufferPointer(start: $0, count: 1)
                    return sockets.send(messages, name, error: &error, calls: &counters.sendCalls)
                }
                guard refused > 0 else { return }
                if error != EAGAIN { break }
            }
            countUnsent(SendDropCause(errno: error))
        }
    }

    private func countUnsent(_ cause: SendDropCause) {
        counters.sendErrors &+= 1
        counters.sendDrops[cause] &+= 1
    }

    /// Reports dropped packets to the estimators of the affected paths, which then lower their targets.
    func noteDrops(_ session: EngineSession) {
        let now = time()
        for drop in session.router.takeDrops() {
            guard let transport = session.subscribersByPath[drop.path], !transport.isPlain else { continue }
            transport.decisions.count(.packetsUnsent, stream: nil, drop.packets, now: now)
            guard let estimator = transport.estimator else { continue }
            estimator.receive(unsent: drop.packets, now: now)
            allocateSoon(transport, now: now)
        }
    }

    /// Returns the index of the socket that sends media to an address.
    func socket(for address: PeerAddress, _ name: WorkerSockets.Name) -> UInt8 {
        sockets?.socket(for: address, name) ?? 0
    }
}

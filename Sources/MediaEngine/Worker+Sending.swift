internal import CLinuxNet
internal import Forwarding
internal import Glibc
internal import MediaBase
internal import Transport

/// From what is pending to the socket.
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

    /// Sends everything that is pending.
    func forwardAll() {
        for session in dirty {
            session._withUnsafeGuaranteedRef {
                forward($0)
                $0.isDirty = false
            }
        }
        dirty.removeAll(keepingCapacity: true)
    }

    func forward(_ session: EngineSession) {
        session.router.forward(now: time(), into: &batch) { send(&$0, for: session) }
        session.flushAt = .never
        if session.router.hasNewCatchUps { noteCatchingUp(session) }
    }

    /// Protects and sends one batch.
    func send(_ batch: inout EgressBatch, for session: EngineSession) {
        protector.protect(batch.jobs, count: batch.jobCount)
        var bytes: UInt64 = 0
        for lane in EgressLane.allCases {
            let messages = batch.messages(of: lane)
            guard let first = messages.baseAddress, !messages.isEmpty else { continue }
            switch lane {
            case .plain: transmit(first, messages.count, .rtp)
            case .webRTC: transmit(first, messages.count, .webRTC)
            case .tcp: stream(messages)
            }
            for message in messages { bytes &+= UInt64(message.length) }
        }
        counters.packetsForwarded &+= UInt64(batch.jobCount)
        counters.bytesForwarded &+= bytes
        session.sentBytes &+= bytes
        if batch.oldestArrival != .never {
            counters.delay.record(
                time() - batch.oldestArrival, packets: batch.jobCount)
        }
    }

    /// Packet by packet into the connections that their paths name.
    private func stream(_ messages: UnsafeMutableBufferPointer<EgressMessage>) {
        for message in messages {
            let path = EgressBatch.path(of: message)
            let to = PeerAddress(path.pointee.address, connection: path.pointee.connection)
            var at = 0
            while at < Int(message.length) {
                let length = min(Int(message.segment), Int(message.length) - at)
                transmit(UnsafeRawBufferPointer(start: message.data + at, count: length), to: to, .webRTC)
                at += length
            }
        }
    }

    func transmit(_ messages: UnsafePointer<EgressMessage>, _ count: Int, _ name: WorkerSockets.Name) {
        guard count > 0 else { return }
        counters.sendMessages &+= UInt64(count)
        guard let sockets else {
            virtual?.send(messages, count, name)
            return
        }
        var error: Int32 = 0
        let refused = millrace_send(
            sockets.sender, sockets.descriptor(name),
            UnsafeRawPointer(messages).assumingMemoryBound(to: millrace_message.self), Int32(count), &error,
            &counters.sendCalls)
        counters.sendErrors &+= UInt64(refused)
        // A device on the way cannot segment: packet by packet from now on. Anything else is one message's own trouble.
        if error == EIO { batch.maximumSegments = 1 }
    }

    /// Sends one datagram as it is.
    func transmit(_ bytes: UnsafeRawBufferPointer, to address: PeerAddress, _ name: WorkerSockets.Name) {
        guard let base = bytes.baseAddress else { return }
        if address.isTCP, let sockets {
            if sockets.tcp?.send(address.connection, bytes) != true { counters.sendErrors &+= 1 }
            return
        }
        let local = address.local
        withUnsafePointer(to: address.address) { address in
            var message = EgressMessage(
                data: base.assumingMemoryBound(to: UInt8.self), address: address, length: UInt32(bytes.count),
                segment: UInt32(bytes.count), local: local)
            transmit(&message, 1, name)
        }
    }
}

internal import CLinuxNet
internal import Forwarding
internal import Glibc
internal import MediaBase

/// From what is pending to the socket.
extension Worker {
    func forwardDue() {
        guard !dirty.isEmpty else { return }
        let now = MediaTime(rawValue: millrace_monotonic_ns())
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
        session.router.forward(into: &batch) { send(&$0, for: session) }
        session.flushAt = .never
        if session.router.hasNewCatchUps { noteCatchingUp(session) }
    }

    /// Protects and sends one batch.
    func send(_ batch: inout EgressBatch, for session: EngineSession) {
        protector.protect(batch.jobs, count: batch.jobCount)
        let messages = batch.messages(of: .plain)
        transmit(
            UnsafeRawPointer(messages.baseAddress!).assumingMemoryBound(to: millrace_message.self), messages.count,
            rtpSocket)
        var bytes: UInt64 = 0
        for message in messages { bytes &+= UInt64(message.length) }
        counters.packetsForwarded &+= UInt64(batch.jobCount)
        counters.bytesForwarded &+= bytes
        session.sentBytes &+= bytes
        if batch.oldestArrival != .never {
            counters.delay.record(
                MediaTime(rawValue: millrace_monotonic_ns()) - batch.oldestArrival, packets: batch.jobCount)
        }
    }

    func transmit(_ messages: UnsafePointer<millrace_message>, _ count: Int, _ socket: Int32) {
        var error: Int32 = 0
        let refused = millrace_send(sender, socket, messages, Int32(count), &error, &counters.sendCalls)
        counters.sendMessages &+= UInt64(count)
        counters.sendErrors &+= UInt64(refused)
        // A device on the way cannot segment: packet by packet from now on. Anything else is one message's own trouble.
        if error == EIO { batch.maximumSegments = 1 }
    }
}

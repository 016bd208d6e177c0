import Forwarding
import MediaBase
import Transport

/// Replaces the sockets and the clock of a worker in virtual time: the owner sets the time, a closure takes the datagrams.
final class VirtualIO {
    var now: MediaTime
    /// CPU time that the worker's thread would have used. Only tests of loaded workers advance it.
    var threadTime = MediaTime.zero
    let transmit: (UnsafeRawBufferPointer, WorkerSockets.Name, PeerAddress) -> Void
    /// Simulates refusals by the kernel: the cause for which a datagram to this address is not sent; nil: it is sent.
    var refuse: ((PeerAddress) -> SendDropCause?)?

    init(now: MediaTime, transmit: @escaping (UnsafeRawBufferPointer, WorkerSockets.Name, PeerAddress) -> Void) {
        self.now = now
        self.transmit = transmit
    }

    /// - Returns: the cause if the datagram was not sent.
    func send(_ datagram: UnsafeRawBufferPointer, to address: PeerAddress, _ name: WorkerSockets.Name)
        -> SendDropCause?
    {
        if let cause = refuse?(address) { return cause }
        transmit(datagram, name, address)
        return nil
    }

    /// Sends messages as the kernel would: a message of several segments becomes as many datagrams, or is refused as a whole.
    /// - Returns: the number of messages that were refused.
    func send(
        _ messages: UnsafeMutableBufferPointer<EgressMessage>, _ name: WorkerSockets.Name, _ batch: inout EgressBatch
    ) -> Int {
        var refused = 0
        guard let base = messages.baseAddress else { return 0 }
        for i in messages.indices {
            let message = messages[i]
            let address = PeerAddress(message.address.pointee)
            if let cause = refuse?(address) {
                batch.drop(base + i, cause)
                refused += 1
                continue
            }
            var at = 0
            while at < Int(message.length) {
                let length = min(Int(message.segment), Int(message.length) - at)
                transmit(UnsafeRawBufferPointer(start: message.data + at, count: length), name, address)
                at += length
            }
        }
        return refused
    }
}

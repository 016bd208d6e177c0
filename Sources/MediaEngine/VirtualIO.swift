internal import Forwarding
internal import MediaBase
internal import Transport

/// Stands for the sockets and the clock of a worker that runs in virtual time: time is what it was told, datagrams go to a closure.
final class VirtualIO {
    var now: MediaTime
    let transmit: (UnsafeRawBufferPointer, WorkerSockets.Name, PeerAddress) -> Void

    init(now: MediaTime, transmit: @escaping (UnsafeRawBufferPointer, WorkerSockets.Name, PeerAddress) -> Void) {
        self.now = now
        self.transmit = transmit
    }

    /// As the kernel would: a message of several segments becomes as many datagrams.
    func send(_ messages: UnsafePointer<EgressMessage>, _ count: Int, _ name: WorkerSockets.Name) {
        for i in 0..<count {
            let message = messages[i]
            var at = 0
            while at < Int(message.length) {
                let length = min(Int(message.segment), Int(message.length) - at)
                transmit(
                    UnsafeRawBufferPointer(start: message.data + at, count: length), name,
                    PeerAddress(message.address.pointee))
                at += length
            }
        }
    }
}

import CLinuxNet

/// Sender for one thread's endpoints: up to 64 datagrams per system call.
final class PacketSender {
    /// Number of datagrams that the kernel refused.
    private(set) var refused: UInt64 = 0
    private let sender: OpaquePointer
    private let slab: UnsafeMutablePointer<UInt8>
    private let addresses: UnsafeMutablePointer<millrace_address>
    private var messages: [millrace_message] = []

    static let batch = 64
    private static let slot = 1_536

    init() throws(LoadError) {
        guard let sender = millrace_sender_new(Int32(Self.batch)) else { throw .system(call: "malloc", errno: 12) }
        self.sender = sender
        slab = .allocate(capacity: Self.batch * Self.slot)
        addresses = .allocate(capacity: Self.batch)
        messages.reserveCapacity(Self.batch)
    }

    deinit {
        millrace_sender_free(sender)
        slab.deallocate()
        addresses.deallocate()
    }

    /// Queues a datagram; one that is longer than a packet may be is not sent.
    func queue(_ datagram: [UInt8], to address: millrace_address, socket: Int32) {
        guard datagram.count <= Self.slot else { return }
        if messages.count == Self.batch { flush(socket: socket) }
        let index = messages.count
        let data = slab + index * Self.slot
        UnsafeMutableRawBufferPointer(start: data, count: Self.slot).copyBytes(from: datagram)
        addresses[index] = address
        messages.append(
            millrace_message(
                data: data, to: addresses + index, length: UInt32(datagram.count), segment: 0, local: 0, socket: 0,
                mark: 0, error: 0))
    }

    func flush(socket: Int32) {
        guard !messages.isEmpty else { return }
        var (lastError, calls): (Int32, UInt64) = (0, 0)
        let failed = millrace_send(sender, socket, messages, Int32(messages.count), &lastError, &calls)
        refused += UInt64(max(0, failed))
        messages.removeAll(keepingCapacity: true)
    }
}

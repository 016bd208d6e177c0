import CLinuxNet
import MediaBase
import RTP
import SRTP

/// Sender for one thread's publishers: writes, protects and sends packets, up to 64 per system call.
final class PacketSender {
    /// Number of datagrams that the kernel refused.
    private(set) var refused: UInt64 = 0
    private let sender: OpaquePointer
    private let slab: UnsafeMutablePointer<UInt8>
    private let addresses: UnsafeMutablePointer<millrace_address>
    private var messages: [millrace_message] = []
    private var calls: UInt64 = 0
    private var lastError: Int32 = 0

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

    /// Queues one packet; returns nil and queues nothing if it cannot be protected.
    /// - Returns: the size of the datagram in bytes.
    func queue(
        _ header: RTPHeader, payload: [UInt8], context: SRTPContext, to address: millrace_address, socket: Int32
    ) -> Int? {
        if messages.count == Self.batch { flush(socket: socket) }
        let buffer = UnsafeMutableRawBufferPointer(start: slab + messages.count * Self.slot, count: Self.slot)
        var length = header.write(into: buffer) + payload.count
        guard length + context.suite.tagLength <= Self.slot, let base = buffer.baseAddress else { return nil }
        payload.withUnsafeBytes { buffer[(length - payload.count)..<length].copyBytes(from: $0) }
        guard (try? context.protect(base, length: &length, capacity: Self.slot)) != nil else { return nil }
        add(length, to: address)
        return length
    }

    /// Queues one RTCP packet in the same way.
    func queueRTCP(_ packet: [UInt8], context: SRTPContext, to address: millrace_address, socket: Int32) -> Int? {
        if messages.count == Self.batch { flush(socket: socket) }
        let buffer = UnsafeMutableRawBufferPointer(start: slab + messages.count * Self.slot, count: Self.slot)
        var length = packet.count
        guard length + context.suite.rtcpOverhead <= Self.slot, let base = buffer.baseAddress else { return nil }
        buffer.copyBytes(from: packet)
        guard (try? context.protectRTCP(base, length: &length, capacity: Self.slot)) != nil else { return nil }
        add(length, to: address)
        return length
    }

    /// Queues a whole datagram.
    func queue(_ datagram: [UInt8], to address: millrace_address, socket: Int32) {
        if messages.count == Self.batch { flush(socket: socket) }
        guard datagram.count <= Self.slot else { return }
        UnsafeMutableRawBufferPointer(start: slab + messages.count * Self.slot, count: Self.slot)
            .copyBytes(from: datagram)
        add(datagram.count, to: address)
    }

    /// Removes the packet that was queued last.
    func dropLast() { _ = messages.popLast() }

    func flush(socket: Int32) {
        guard !messages.isEmpty else { return }
        let failed = messages.withUnsafeBufferPointer {
            millrace_send(sender, socket, $0.baseAddress, Int32($0.count), &lastError, &calls)
        }
        refused += UInt64(max(0, failed))
        messages.removeAll(keepingCapacity: true)
    }

    private func add(_ length: Int, to address: millrace_address) {
        let index = messages.count
        addresses[index] = address
        messages.append(
            millrace_message(
                data: slab + index * Self.slot, to: addresses + index, length: UInt32(length), segment: 0, local: 0,
                socket: 0, mark: 0, error: 0))
    }
}

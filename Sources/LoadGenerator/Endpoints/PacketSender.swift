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
        queue(to: address, socket: socket) { room, base in
            var length = header.write(into: room) + payload.count
            guard length + context.suite.tagLength <= room.count else { return nil }
            room[(length - payload.count)..<length].copyBytes(from: payload)
            guard (try? context.protect(base, length: &length, capacity: room.count)) != nil else { return nil }
            return length
        }
    }

    /// Queues one RTCP packet in the same way.
    func queueRTCP(_ packet: [UInt8], context: SRTPContext, to address: millrace_address, socket: Int32) {
        queue(to: address, socket: socket) { room, base in
            var length = packet.count
            guard length + context.suite.rtcpOverhead <= room.count else { return nil }
            room.copyBytes(from: packet)
            guard (try? context.protectRTCP(base, length: &length, capacity: room.count)) != nil else { return nil }
            return length
        }
    }

    /// Queues a whole datagram.
    func queue(_ datagram: [UInt8], to address: millrace_address, socket: Int32) {
        queue(to: address, socket: socket) { room, _ in
            guard datagram.count <= room.count else { return nil }
            room.copyBytes(from: datagram)
            return datagram.count
        }
    }

    /// - Parameter write: writes the datagram and returns its length; nil to queue nothing.
    @discardableResult
    private func queue(
        to address: millrace_address, socket: Int32,
        _ write: (UnsafeMutableRawBufferPointer, UnsafeMutableRawPointer) -> Int?
    ) -> Int? {
        if messages.count == Self.batch { flush(socket: socket) }
        let index = messages.count
        let data = slab + index * Self.slot
        guard let length = write(UnsafeMutableRawBufferPointer(start: data, count: Self.slot), data) else { return nil }
        addresses[index] = address
        messages.append(
            millrace_message(
                data: data, to: addresses + index, length: UInt32(length), segment: 0, local: 0, socket: 0, mark: 0,
                error: 0))
        return length
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
}

import CLinuxNet
package import MediaBase

/// UDP socket of one peer connection that the relay itself makes. Confined to a thread.
package final class PeerSocket {
    package let descriptor: Int32
    package let isIPv6: Bool
    private let receiver: OpaquePointer
    private let sender: OpaquePointer

    /// Maximum size of a received datagram, in bytes.
    private static let datagramBytes = 2_048
    private static let slots = 16
    private static let bufferBytes: Int32 = 1 << 20

    /// Opens a socket on any free port of all addresses; nil if the system has no more descriptors or memory.
    package init?(isIPv6: Bool) {
        guard let address = SocketAddress(isIPv6 ? "::" : "0.0.0.0", port: 0) else { return nil }
        var raw = millrace_address(address)
        let descriptor = millrace_udp_open(&raw, Self.bufferBytes, Self.bufferBytes, 0)
        guard descriptor >= 0 else { return nil }
        guard let receiver = millrace_receiver_new(Int32(Self.slots), Self.datagramBytes) else {
            millrace_close(descriptor)
            return nil
        }
        guard let sender = millrace_sender_new(1) else {
            millrace_receiver_free(receiver)
            millrace_close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.isIPv6 = isIPv6
        self.receiver = receiver
        self.sender = sender
    }

    deinit {
        millrace_sender_free(sender)
        millrace_receiver_free(receiver)
        millrace_close(descriptor)
    }

    /// Port that the socket is bound to; 0 if the system does not tell it.
    package var port: UInt16 {
        var local = millrace_address()
        guard millrace_udp_local(descriptor, &local) == 0 else { return 0 }
        return SocketAddress(local)?.port ?? 0
    }

    /// Sends a datagram without waiting.
    /// - Returns: false if the kernel did not accept it.
    @discardableResult
    package func send(_ datagram: [UInt8], to address: SocketAddress) -> Bool {
        guard address.isIPv6 == isIPv6 else { return false }
        let raw = millrace_address(address)
        return datagram.withUnsafeBufferPointer { bytes in
            withUnsafePointer(to: raw) { to in
                var message = millrace_message()
                message.data = bytes.baseAddress
                message.to = to
                message.length = UInt32(bytes.count)
                var (lastError, calls): (Int32, UInt64) = (0, 0)
                return millrace_send_now(sender, [descriptor], 1, &message, 1, &lastError, &calls) == 0
            }
        }
    }

    /// Passes the datagrams that have arrived to `body`, at most `slots` of them. Their bytes are valid only while `body` runs.
    package func receive(_ body: (UnsafeRawBufferPointer, SocketAddress) -> Void) {
        withUnsafeTemporaryAllocation(of: millrace_datagram.self, capacity: Self.slots) { datagrams in
            var truncated: UInt32 = 0
            let count = millrace_receive(receiver, descriptor, datagrams.baseAddress, &truncated)
            for datagram in datagrams.prefix(max(0, Int(count))) {
                guard let source = SocketAddress(datagram.from) else { continue }
                body(UnsafeRawBufferPointer(start: datagram.data, count: Int(datagram.length)), source)
            }
        }
    }
}

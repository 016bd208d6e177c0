import MediaBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// UDP socket, polling of several sockets, and a wake-up pipe, using only POSIX calls. These are all operating system services that
/// the client's media needs. Confined to the media thread.
final class DatagramSocket {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: DatagramSocket.largest)

    /// Maximum size of a received datagram in bytes.
    static let largest = 4_096
    /// Size of the kernel's buffer in each direction, in bytes.
    private static let kernelBuffer: Int32 = 1 << 20

    #if canImport(Glibc)
        private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        private static let datagram = SOCK_DGRAM
    #endif

    /// - Parameter host: numeric address to bind to; nil for any address of the family.
    init?(isIPv6: Bool, host: String? = nil) {
        guard let address = SocketAddress(host ?? (isIPv6 ? "::" : "0.0.0.0"), port: 0), address.isIPv6 == isIPv6 else {
            return nil
        }
        let opened = socket(isIPv6 ? AF_INET6 : AF_INET, Self.datagram, 0)
        guard opened >= 0 else { return nil }
        // The descriptor is closed here on failure, because `deinit` runs only after `descriptor` has been set.
        guard Self.prepare(opened), Self.withKernelAddress(address, { bind(opened, $0, $1) }) == 0 else {
            Self.close(opened)
            return nil
        }
        descriptor = opened
    }

    deinit { Self.close(descriptor) }

    private static func prepare(_ descriptor: Int32) -> Bool {
        var size = kernelBuffer
        let length = socklen_t(MemoryLayout<Int32>.size)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, length)
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
    }

    /// - Returns: false if the kernel did not accept the datagram; accepted datagrams may still be lost.
    @discardableResult
    func send(_ datagram: [UInt8], to address: SocketAddress) -> Bool {
        Self.withKernelAddress(address) { pointer, length in
            sendto(descriptor, datagram, datagram.count, 0, pointer, length)
        } == datagram.count
    }

    /// Receives the next datagram without waiting. The buffer is valid only while `body` runs.
    /// - Returns: false if there is none.
    func receive(_ body: (UnsafeRawBufferPointer, SocketAddress) -> Void) -> Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
            }
        }
        guard count >= 0 else { return false }
        guard let source = Self.address(&storage) else { return true }
        buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count]), source) }
        return true
    }

    private static func withKernelAddress<Result>(
        _ address: SocketAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let octets = address.octets
        let length = socklen_t(address.isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        withUnsafeMutableBytes(of: &storage) { raw in
            // The layouts agree on all systems except for the address family, which is set through the structure.
            let port = address.port.bigEndian
            raw.storeBytes(of: port, toByteOffset: 2, as: UInt16.self)
            for (index, octet) in octets.enumerated() { raw[(address.isIPv6 ? 8 : 4) + index] = octet }
        }
        storage.ss_family = sa_family_t(address.isIPv6 ? AF_INET6 : AF_INET)
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private static func address(_ storage: inout sockaddr_storage) -> SocketAddress? {
        let isIPv6 = Int32(storage.ss_family) == AF_INET6
        guard isIPv6 || Int32(storage.ss_family) == AF_INET else { return nil }
        return withUnsafeBytes(of: &storage) { raw in
            let port = UInt16(bigEndian: raw.load(fromByteOffset: 2, as: UInt16.self))
            return SocketAddress(octets: Array(isIPv6 ? raw[8..<24] : raw[4..<8]), port: port)
        }
    }

    /// Creates a pipe that wakes a waiting thread: a byte written to the second descriptor can be read from the first.
    static func wakePipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
        return (ends[0], ends[1])
    }

    static func wake(_ writing: Int32) {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    static func clear(_ reading: Int32) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #endif
    }

    /// Waits until one of the descriptors is readable, at most for the given time.
    static func wait(for descriptors: [Int32], atMost time: MediaTime) {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Rounded up, because waking before the deadline would only cause another wait.
        let milliseconds = min(max(0, (time.rawValue + 999_999) / 1_000_000), 1_000)
        _ = poll(&entries, nfds_t(entries.count), Int32(milliseconds))
    }
}

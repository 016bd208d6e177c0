import MediaBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A UDP socket, the waiting for several, and a clock: all that the client's media asks of an operating system, by calls that every
/// POSIX one has. Confined to the media thread.
final class DatagramSocket {
    let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: DatagramSocket.largest)

    /// Bytes of the largest datagram that is taken.
    static let largest = 4_096
    /// What the kernel may hold, bytes each way.
    private static let kernelBuffer: Int32 = 1 << 20

    #if canImport(Glibc)
        private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
        private static let datagram = SOCK_DGRAM
    #endif

    /// - Parameter host: numeric address to bind to; nil: any of the family.
    init?(isIPv6: Bool, host: String? = nil) {
        guard let address = SocketAddress(host ?? (isIPv6 ? "::" : "0.0.0.0"), port: 0), address.isIPv6 == isIPv6 else {
            return nil
        }
        let opened = socket(isIPv6 ? AF_INET6 : AF_INET, Self.datagram, 0)
        guard opened >= 0 else { return nil }
        // Nobody's yet: once it is this object's, `deinit` closes it, after a failure as well.
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

    /// - Returns: false where the kernel did not take it; datagrams may be lost anyhow.
    @discardableResult
    func send(_ datagram: [UInt8], to address: SocketAddress) -> Bool {
        Self.withKernelAddress(address) { pointer, length in
            sendto(descriptor, datagram, datagram.count, 0, pointer, length)
        } == datagram.count
    }

    /// The next datagram, without waiting for one. `body` gets it for as long as it runs.
    /// - Returns: false where there is none.
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
            // The family's place differs between systems, so it goes through the structure; the rest lies alike.
            let port = address.port.bigEndian
            raw.storeBytes(of: port, toByteOffset: 2, as: UInt16.self)
            for (place, octet) in octets.enumerated() { raw[(address.isIPv6 ? 8 : 4) + place] = octet }
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

    /// A pipe that wakes whoever waits: what is written to the second can be read from the first.
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

    /// Waits until one of the descriptors can be read, at most for so long.
    static func wait(for descriptors: [Int32], atMost time: MediaTime) {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Rounded up: a turn too early would only wait again.
        let milliseconds = min(max(0, (time.rawValue + 999_999) / 1_000_000), 1_000)
        _ = poll(&entries, nfds_t(entries.count), Int32(milliseconds))
    }
}

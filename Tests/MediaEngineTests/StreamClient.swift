import Glibc
import MediaBase

/// A TCP client on loopback whose every step the test controls.
final class StreamClient {
    private var descriptor: Int32
    let local: SocketAddress

    struct Fault: Error { var code: Int32 }

    /// - Parameters:
    ///   - source: address of this side.
    ///   - receiveBuffer: bytes of the kernel's receive buffer; 0: the default.
    init(to server: SocketAddress, from source: String? = nil, receiveBuffer: Int32 = 0) throws(Fault) {
        let descriptor = socket(server.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var size = receiveBuffer
        if size > 0 { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        if let source, let address = SocketAddress(source, port: 0) {
            _ = address.withKernelBytes {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, address.length)
            }
        }
        let connected = server.withKernelBytes {
            connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, server.length)
        }
        var raw = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutableBytes(of: &raw) {
            getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        let local = withUnsafeBytes(of: raw) {
            SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[..<Int(length)]))
        }
        guard connected == 0, let local else {
            let code = errno
            Glibc.close(descriptor)
            throw Fault(code: code)
        }
        self.descriptor = descriptor
        self.local = local
    }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    func send(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    static func frame(_ datagram: [UInt8]) -> [UInt8] {
        [UInt8(datagram.count >> 8), UInt8(datagram.count & 255)] + datagram
    }

    /// Returns the bytes that arrive within the time: empty if the server closed the connection, nil if none arrived.
    func read(milliseconds: Int32 = 2_000) -> [UInt8]? {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Returns whether the server closes the connection within the time.
    func seesClose(milliseconds: Int32 = 2_000) -> Bool {
        while let bytes = read(milliseconds: milliseconds) {
            if bytes.isEmpty { return true }
        }
        return false
    }

    /// Returns the datagrams in a stream of whole frames, or nil if the last frame is incomplete.
    static func datagrams(in stream: [UInt8]) -> [[UInt8]]? {
        var rest = stream[...]
        var found: [[UInt8]] = []
        while !rest.isEmpty {
            guard rest.count >= 2 else { return nil }
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            guard rest.count >= 2 + length else { return nil }
            found.append(Array(rest.dropFirst(2).prefix(length)))
            rest = rest.dropFirst(2 + length)
        }
        return found
    }
}

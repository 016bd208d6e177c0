import Glibc
import MediaBase

/// A UDP socket on loopback, for talking to a program.
final class UDPEndpoint {
    private let descriptor: Int32
    /// Destination of datagrams: the last sender, unless the test sets it.
    var peer = SocketAddress()
    let port: UInt16

    init() throws(SocketFault) {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var raw = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let local = SocketAddress("127.0.0.1", port: 0)!
        let bound = local.withKernelBytes {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, local.length)
        }
        let named = withUnsafeMutableBytes(of: &raw) {
            getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        guard bound == 0, named == 0 else { throw SocketFault(code: errno) }
        self.descriptor = descriptor
        port = withUnsafeBytes(of: raw) {
            SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[..<Int(length)]))?.port ?? 0
        }
    }

    deinit { close(descriptor) }

    struct SocketFault: Error { var code: Int32 }

    func send(_ datagram: [UInt8]) {
        _ = peer.withKernelBytes {
            sendto(
                descriptor, datagram, datagram.count, 0, $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
                peer.length)
        }
    }

    /// Returns the next datagram, or nil if none arrives in time.
    func receive(milliseconds: Int32) -> [UInt8]? {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var raw = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutableBytes(of: &raw) {
            recvfrom(
                descriptor, &buffer, buffer.count, 0, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        guard count >= 0 else { return nil }
        withUnsafeBytes(of: raw) {
            if let from = SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[..<Int(length)])) {
                peer = from
            }
        }
        return Array(buffer.prefix(count))
    }
}

import Glibc
import MediaBase

/// Non-blocking UDP socket on a port that the kernel chooses; confined to one thread.
final class DatagramSocket {
    let descriptor: Int32
    let port: UInt16
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init() throws(HostileError) {
        let opened = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard opened >= 0 else { throw .system(call: "socket", errno: errno) }
        descriptor = opened
        var size: Int32 = 1 << 20
        _ = setsockopt(opened, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(opened, F_SETFL, O_NONBLOCK)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(opened, address, length) == 0 ? getsockname(opened, address, &length) : -1
            }
        }
        guard code == 0 else {
            let reason = errno
            close(opened)
            throw .system(call: "bind", errno: reason)
        }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    func send(_ datagram: [UInt8], to address: SocketAddress) {
        address.withKernelBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            let pointer = base.assumingMemoryBound(to: sockaddr.self)
            _ = sendto(descriptor, datagram, datagram.count, 0, pointer, socklen_t(address.length))
        }
    }

    /// Passes all received datagrams to `body`, without waiting.
    func receive(_ body: (UnsafeRawBufferPointer, SocketAddress) -> Void) {
        while true {
            var storage = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
                }
            }
            guard count >= 0 else { return }
            let source = withUnsafeBytes(of: &storage) { SocketAddress(kernelBytes: $0) }
            guard let source else { continue }
            buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count]), source) }
        }
    }
}

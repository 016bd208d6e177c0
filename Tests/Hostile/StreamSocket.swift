import Glibc
import MediaBase

/// TCP connection to the relay; confined to one thread.
final class StreamSocket {
    let descriptor: Int32
    private(set) var isOpen = true
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(to address: SocketAddress) throws(HostileError) {
        let opened = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard opened >= 0 else { throw .system(call: "socket", errno: errno) }
        descriptor = opened
        let code: Int32 = address.withKernelBytes { bytes in
            guard let base = bytes.baseAddress else { return -1 }
            return connect(opened, base.assumingMemoryBound(to: sockaddr.self), socklen_t(address.length))
        }
        guard code == 0 else {
            let reason = errno
            close(opened)
            throw .system(call: "connect", errno: reason)
        }
        var noDelay: Int32 = 1
        _ = setsockopt(opened, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(opened, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// Sends as much as the kernel accepts now. The rest is discarded if the relay does not read, which cuts a frame as well.
    func send(_ bytes: [UInt8]) {
        guard isOpen else { return }
        let sent = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if sent < 0, errno != EAGAIN { isOpen = false }
    }

    func receive(_ body: (UnsafeRawBufferPointer) -> Void) {
        while isOpen {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0 {
                if errno != EAGAIN { isOpen = false }
                return
            }
            guard count > 0 else {
                isOpen = false
                return
            }
            buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    /// Closes with a TCP reset, like a peer that crashes.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        isOpen = false
    }
}

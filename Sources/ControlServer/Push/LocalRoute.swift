import CLinuxNet
import Glibc
import MediaBase
import MediaEngine

/// Addresses of this host by the system's routes.
enum LocalRoute {
    /// Returns the address from which the system sends to `remote` now, without a port; nil if there is no route. Sends nothing.
    static func address(toward remote: SocketAddress) -> SocketAddress? {
        guard let any = SocketAddress(remote.isIPv6 ? "::" : "0.0.0.0", port: 0) else { return nil }
        var raw = millrace_address(any)
        let descriptor = millrace_udp_open(&raw, 0, 0, 0)
        guard descriptor >= 0 else { return nil }
        defer { millrace_close(descriptor) }
        let code = remote.withKernelBytes { bytes in
            connect(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        var local = millrace_address()
        guard code == 0, millrace_udp_local(descriptor, &local) == 0, var found = SocketAddress(local) else {
            return nil
        }
        found.port = 0
        return found
    }
}

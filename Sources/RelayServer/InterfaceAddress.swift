import CLinuxNet
import MediaBase

/// An address of one of this host's network interfaces that is up.
struct InterfaceAddress: Equatable {
    var address: SocketAddress
    /// Whether the default route uses this interface.
    var isOnDefaultRoute = false

    /// Maximum number of addresses that are read.
    private static let limit = 256

    /// Returns the current addresses of this host, in the kernel's order; empty if the kernel does not report them.
    static func all() -> [InterfaceAddress] {
        var found = [millrace_interface_address](repeating: millrace_interface_address(), count: limit)
        let count = Int(millrace_interface_addresses(&found, Int32(limit)))
        guard count > 0 else { return [] }
        // Addresses for documentation (RFC 5737, RFC 3849), for which no host has a specific route.
        let defaults = [defaultInterface("192.0.2.1"), defaultInterface("2001:db8::1")]
        return found.prefix(count).compactMap { entry in
            let address = withUnsafeBytes(of: entry.address.bytes) { bytes in
                SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(entry.address.length))))
            }
            guard let address else { return nil }
            return InterfaceAddress(
                address: address,
                isOnDefaultRoute: defaults[address.isIPv6 ? 1 : 0] == Int32(bitPattern: entry.interface))
        }
    }

    /// Returns the index of the interface on the route to `text`, or a negative errno.
    private static func defaultInterface(_ text: String) -> Int32 {
        var to = millrace_address()
        SocketAddress(text, port: 9)?.withKernelBytes { bytes in
            to.length = UInt32(bytes.count)
            withUnsafeMutableBytes(of: &to.bytes) { $0.copyMemory(from: bytes) }
        }
        return millrace_route_interface(&to, 0)
    }

    var isLinkLocal: Bool { address.isLinkLocal }
}

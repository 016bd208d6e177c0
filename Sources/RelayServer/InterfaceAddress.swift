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

    /// Whether only hosts of the same link can reach the address: 169.254.0.0/16 (RFC 3927), fe80::/10 (RFC 4291
    /// section 2.5.6).
    var isLinkLocal: Bool {
        let octets = address.octets
        return octets.count == 4 ? octets.starts(with: [169, 254]) : octets[0] == 0xFE && octets[1] & 0xC0 == 0x80
    }
}

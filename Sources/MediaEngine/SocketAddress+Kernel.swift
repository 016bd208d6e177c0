package import CLinuxNet
package import MediaBase

extension SocketAddress {
    /// Fails if the address is neither IPv4 nor IPv6.
    package init?(_ address: millrace_address) {
        let found = withUnsafeBytes(of: address.bytes) {
            SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[0..<min(28, Int(address.length))]))
        }
        guard let found else { return nil }
        self = found
    }
}

extension millrace_address {
    package init(_ address: SocketAddress) {
        self.init()
        length = address.length
        address.withKernelBytes { bytes in
            withUnsafeMutableBytes(of: &self.bytes) { $0.copyMemory(from: bytes) }
        }
    }
}

import CLinuxNet
import Foundation
import MediaBase

extension millrace_address {
    init(_ address: SocketAddress) {
        self.init()
        length = address.length
        address.withKernelBytes { bytes in
            withUnsafeMutableBytes(of: &self.bytes) { $0.copyMemory(from: bytes) }
        }
    }
}

extension SocketAddress {
    /// Returns nil if the address is neither IPv4 nor IPv6.
    init?(_ address: millrace_address) {
        let found = withUnsafeBytes(of: address.bytes) {
            SocketAddress(kernelBytes: UnsafeRawBufferPointer(rebasing: $0[0..<min(28, Int(address.length))]))
        }
        guard let found else { return nil }
        self = found
    }
}

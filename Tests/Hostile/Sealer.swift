import SRTP

/// Protects forged packets under a valid key, so that the relay accepts them as authentic.
struct Sealer {
    private let context: SRTPContext

    init(_ key: SRTPKey) throws(SRTPFailure) { context = try SRTPContext(key: key, direction: .outbound) }

    /// - Returns: the protected packet; nil if the library refuses it, as it does if the header is longer than the packet.
    func rtp(_ packet: [UInt8]) -> [UInt8]? {
        seal(packet) { base, length, capacity throws(SRTPFailure) in
            try context.protect(base, length: &length, capacity: capacity)
        }
    }

    func rtcp(_ packet: [UInt8]) -> [UInt8]? {
        seal(packet) { base, length, capacity throws(SRTPFailure) in
            try context.protectRTCP(base, length: &length, capacity: capacity)
        }
    }

    private func seal(
        _ packet: [UInt8], _ body: (UnsafeMutableRawPointer, inout Int, Int) throws(SRTPFailure) -> Void
    ) -> [UInt8]? {
        var bytes = packet + [UInt8](repeating: 0, count: 64)
        var length = packet.count
        let isSealed = bytes.withUnsafeMutableBytes { raw -> Bool in
            guard let base = raw.baseAddress else { return false }
            return (try? body(base, &length, raw.count)) != nil
        }
        guard isSealed else { return nil }
        bytes.removeLast(bytes.count - length)
        return bytes
    }
}

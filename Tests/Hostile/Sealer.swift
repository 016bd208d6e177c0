import SRTP

/// Protects forged packets under a valid key, so that the relay accepts them as authentic.
struct Sealer {
    private let context: SRTPContext

    init(_ key: SRTPKey) throws(SRTPFailure) { context = try SRTPContext(key: key, direction: .outbound) }

    /// - Returns: the protected packet; nil if the library refuses it, as it does if the header is longer than the packet.
    func rtp(_ packet: [UInt8]) -> [UInt8]? { try? context.protected(packet) }

    func rtcp(_ packet: [UInt8]) -> [UInt8]? { try? context.protectedRTCP(packet) }
}

import MediaBase
import Testing
import Transport

/// Bytes received from each address and sent to it. Detects the first datagram by which the relay could be used to amplify an attack.
struct Ledger {
    private var inBytes: [PeerAddress: Int] = [:]
    private var outBytes: [PeerAddress: Int] = [:]
    /// Bytes sent to each address.
    private var totals: [PeerAddress: Int] = [:]
    /// Bytes sent in excess of those received, to addresses while they were nominated.
    private(set) var beyond = 0

    mutating func receive(_ bytes: Int, from address: PeerAddress) { inBytes[address, default: 0] += bytes }

    /// - Parameters:
    ///   - nominated: the peer nominated this address.
    ///   - isConfirmed: the handshake is done.
    mutating func send(_ bytes: Int, to address: PeerAddress, nominated: Bool, isConfirmed: Bool) {
        outBytes[address, default: 0] += bytes
        totals[address, default: 0] += bytes
        if isConfirmed || address.isTCP { return }
        let excess = outBytes[address, default: 0] - inBytes[address, default: 0]
        guard excess > 0 else { return }
        #expect(nominated, "\(excess) bytes more to \(address.address) than came from there")
        // From here on it counts from zero, as the transport does.
        beyond += excess
        outBytes[address] = inBytes[address, default: 0]
        #expect(beyond <= ICELiteAgent.firstFlightAllowance)
    }

    func sent(to address: PeerAddress) -> Int { totals[address, default: 0] }
    var recipients: Set<PeerAddress> { Set(outBytes.keys) }
}

import MediaBase
import RTP
import SRTP

/// Search for the publisher of a media packet from an unknown address, with a budget for each second. The next connectivity check reveals a
/// move that the budget does not cover.
struct PublisherSearch {
    /// Maximum number of publishers whose keys are tried on a packet.
    private static let maximumCandidates = 4
    /// Decryption attempts per second. A packet with an unknown SSRC costs none.
    private static let attemptsPerSecond = 50
    /// Peers per second that are searched for the SSRC of such packets, which takes a few milliseconds.
    private static let lookupsPerSecond = 200_000

    /// Rest of the budgets in the second that began at `budgetsSince`.
    private var attemptsLeft = 0
    private var lookupsLeft = 0
    private var budgetsSince = MediaTime.seconds(-1)

    /// Returns the connected publishers that send the SSRC of a packet.
    mutating func candidates(
        for datagram: UnsafeRawBufferPointer, among peers: borrowing PeerTable, now: MediaTime
    ) -> [WebRTCPeer] {
        guard datagram.count >= RTPHeader.fixedLength else { return [] }
        let ssrc = SSRC(UInt32(bigEndian: datagram.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        return publishers(of: ssrc, among: peers, now: now)
    }

    /// Returns the connected publishers that send an SSRC, and takes the search from the budget.
    mutating func publishers(of ssrc: SSRC, among peers: borrowing PeerTable, now: MediaTime) -> [WebRTCPeer] {
        if now - budgetsSince >= .seconds(1) {
            budgetsSince = now
            attemptsLeft = Self.attemptsPerSecond
            lookupsLeft = Self.lookupsPerSecond
        }
        guard attemptsLeft > 0, lookupsLeft > 0 else { return [] }
        lookupsLeft -= peers.all.count
        var found: [WebRTCPeer] = []
        for peer in peers.all where peer.inbound?.binding(of: ssrc) != nil {
            found.append(peer)
            if found.count == Self.maximumCandidates { break }
        }
        return found
    }

    /// Tries the key of a publisher on a packet.
    /// - Parameter accept: takes the decrypted packet.
    /// - Returns: false if the packet is not the publisher's, or is a replay; nil: the budget is used up.
    mutating func unprotect(
        _ datagram: UnsafeRawBufferPointer, as inbound: PublishTransport,
        _ accept: (UnsafeRawBufferPointer) -> Void
    ) -> Bool? {
        guard takeAttempt() else { return nil }
        let isAuthentic = withUnsafeTemporaryAllocation(byteCount: datagram.count, alignment: 8) { copy in
            // Failed AEAD decryption leaves its input unusable.
            copy.copyMemory(from: datagram)
            guard let bytes = copy.baseAddress else { return false }
            var plain = datagram.count
            do throws(SRTPFailure) {
                try inbound.context.unprotect(bytes, length: &plain)
            } catch {
                return false
            }
            accept(UnsafeRawBufferPointer(start: bytes, count: plain))
            return true
        }
        if isAuthentic { returnAttempt() }
        return isAuthentic
    }

    /// Takes an attempt from the budget of decryption attempts.
    /// - Returns: false if none is left.
    mutating func takeAttempt() -> Bool {
        guard attemptsLeft > 0 else { return false }
        attemptsLeft -= 1
        return true
    }

    /// Gives back an attempt that succeeded.
    mutating func returnAttempt() { attemptsLeft += 1 }
}

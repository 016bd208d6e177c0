import MediaBase

/// Address that an authenticated check came from, with its byte credit.
struct RemoteAddress: Sendable {
    let address: PeerAddress
    var lastCheck: MediaTime
    /// True if the peer has nominated this address at some time.
    var isNominated = false
    /// Bytes received from the address minus bytes sent to it. Limits amplification towards an address whose owner may not have requested
    /// anything.
    var credit = 0
}

import MediaBase
import SDP

/// Candidate pair: a remote candidate and the state of its checks. The only local candidate is one socket, so the remote address identifies
/// the pair.
struct CandidatePair {
    enum State {
        /// TCP candidate without a connection.
        case unconnected
        /// The connection has been requested.
        case connecting
        case waiting
        case checking
        /// A check has been answered.
        case valid
        case failed
    }

    /// Remote address. Its connection number changes with each new connection.
    var address: PeerAddress
    let isTCP: Bool
    /// Priority of the remote candidate (RFC 8445 section 5.1.2).
    let priority: UInt32
    var state: State
    var check: ConnectivityCheck?
    /// Number of checks sent; `answers` is the number answered.
    var checks = 0
    var answers = 0
    /// True if the peer, as the controlling agent, nominated this pair.
    var isNominatedByPeer = false

    init(address: PeerAddress, isTCP: Bool, priority: UInt32) {
        self.address = address
        self.isTCP = isTCP
        self.priority = priority
        state = isTCP && !address.isTCP ? .unconnected : .waiting
    }

    /// Returns whether one of these is the remote candidate.
    func isOf(_ candidates: [ICECandidate]) -> Bool {
        candidates.contains { ($0.transport == .tcp) == isTCP && $0.address == address.address }
    }

    /// Discards the results of checks. An existing TCP connection is kept.
    mutating func reset() {
        check = nil
        isNominatedByPeer = false
        switch state {
        case .unconnected, .connecting: break
        case .waiting, .checking, .valid, .failed: state = .waiting
        }
    }

    mutating func disconnect() {
        check = nil
        state = .unconnected
        address.connection = -1
    }
}

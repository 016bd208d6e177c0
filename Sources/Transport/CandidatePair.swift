import MediaBase

/// A remote candidate and what is known of the way to it. There is one local socket, so that one address stands for a pair.
struct CandidatePair {
    enum State {
        /// A TCP candidate without a connection.
        case unconnected
        /// The connection was asked for.
        case connecting
        case waiting
        case checking
        /// A check was answered.
        case valid
        case failed
    }

    /// Its connection number changes with each connection that is made.
    var address: PeerAddress
    let isTCP: Bool
    /// Of the remote candidate (RFC 8445 section 5.1.2).
    let priority: UInt32
    var state: State
    var check: ConnectivityCheck?
    /// Checks sent, and those that were answered.
    var checks = 0
    var answers = 0
    /// The peer, being the controlling side, named this pair.
    var isNominatedByPeer = false

    init(address: PeerAddress, isTCP: Bool, priority: UInt32) {
        self.address = address
        self.isTCP = isTCP
        self.priority = priority
        state = isTCP && !address.isTCP ? .unconnected : .waiting
    }

    /// Forgets what was found out; a connection that stands goes on being used.
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

package import MediaBase
package import SDP
import STUN

/// ICE agent of the client (RFC 8445): checks the peer's candidates, nominates the first pair that works, and continues with consent checks
/// (RFC 7675). Uses one UDP socket, which the caller may replace, and a TCP connection per TCP candidate.
package struct ICEFullAgent {
    package struct Configuration: Sendable {
        package var local: ICECredentials
        package var remote: ICECredentials
        /// Ta: time between the first checks of two pairs (RFC 8445 section 14.2).
        package var pacing = MediaTime.milliseconds(50)
        /// RTO of the first retransmission of a check.
        package var retransmission = MediaTime.milliseconds(500)
        /// Average interval of consent checks; each one is random between 0.8 and 1.2 times it (RFC 7675 section 5.1).
        package var consentInterval = MediaTime.seconds(5)
        /// Average interval while the last consent check is unanswered, so that a few lost datagrams do not end the path.
        package var consentRetry = MediaTime.seconds(1)
        /// Time for which only UDP is tried if there are candidates of both transports.
        package var streamDelay = MediaTime.milliseconds(500)
        /// If true, every check nominates, as was allowed before RFC 8445.
        package var nominatesAggressively = false
        /// If true, consent checks nominate too, so that an ICE-lite peer follows a NAT rebinding at once.
        package var nominatesInConsent = true
        /// If true, starts in the controlled role, which an ICE-lite peer refuses with a role conflict.
        package var beginsControlled = false

        package init(local: ICECredentials, remote: ICECredentials) {
            self.local = local
            self.remote = remote
        }
    }

    package enum Output: Sendable {
        case transmit([UInt8], to: PeerAddress)
        case connect(SocketAddress, connection: Int32)
        case disconnect(connection: Int32)
        case selected(PeerAddress)
    }

    /// Maximum number of remote candidates.
    package static let pairLimit = 32
    static let outstandingConsents = 8

    var configuration: Configuration
    var random: any RandomNumberGenerator
    var pairs: [CandidatePair] = []
    var outputs = OutputQueue<Output>()
    /// Destination of media.
    package internal(set) var selected: PeerAddress?
    /// Source of the peer's latest check that was answered.
    package internal(set) var answered: PeerAddress?
    /// Time of the last answer to a check on the selected pair.
    package internal(set) var lastConsent: MediaTime?
    package internal(set) var isControlling: Bool
    /// True while searching for a pair: at the start, after a restart, and when the selected pair may have failed.
    var isSeeking = true
    let tieBreaker: UInt64
    var nextPair: MediaTime
    var nextConsent = MediaTime.never
    var nextStream: MediaTime
    var nextConnection: Int32 = 0
    /// Transactions of consent checks that may still be answered.
    var consents: [STUNTransactionID] = []

    package init(_ configuration: Configuration, random: any RandomNumberGenerator, now: MediaTime) {
        self.configuration = configuration
        self.random = random
        isControlling = !configuration.beginsControlled
        tieBreaker = self.random.next()
        nextPair = now
        nextStream = now + configuration.streamDelay
    }

    /// Time at which to call `handleTimeout`.
    package var deadline: MediaTime {
        var deadline = nextConsent
        for pair in pairs {
            if let check = pair.check { deadline = min(deadline, check.due) }
            guard isSeeking else { continue }
            if pair.state == .waiting { deadline = min(deadline, nextPair) }
            if pair.state == .unconnected { deadline = min(deadline, nextStream) }
        }
        return deadline
    }

    package mutating func nextOutput() -> Output? { outputs.next() }

    /// Returns whether an address is a candidate of the peer.
    package func isKnown(_ address: PeerAddress) -> Bool { pairs.contains { $0.address == address } }

    /// Candidates of the peer that were tried.
    package var tried: [MediaPathReport.Candidate] {
        pairs.map {
            MediaPathReport.Candidate(
                address: $0.address.address, isTCP: $0.isTCP, checks: $0.checks, answers: $0.answers)
        }
    }

    /// Adds a candidate of the peer.
    /// - Returns: false if the candidate cannot be used: a host name, an active TCP candidate, another component, or above `pairLimit`.
    package mutating func add(_ candidate: ICECandidate, now: MediaTime) -> Bool {
        guard candidate.component == 1, candidate.port != 0, pairs.count < Self.pairLimit,
            let address = SocketAddress(candidate.host, port: candidate.port)
        else { return false }
        let isTCP = candidate.transport == .tcp
        if isTCP, candidate.tcpType != .passive { return false }
        guard !pairs.contains(where: { $0.address.address == address && $0.isTCP == isTCP }) else { return true }
        pairs.append(CandidatePair(address: PeerAddress(address), isTCP: isTCP, priority: candidate.priority))
        handleTimeout(now: now)
        return true
    }

    /// Reports that a requested connection is established.
    package mutating func connected(connection: Int32, now: MediaTime) {
        guard let index = pairs.firstIndex(where: { $0.isTCP && $0.address.connection == connection }) else { return }
        if pairs[index].state == .connecting { pairs[index].state = .waiting }
        handleTimeout(now: now)
    }

    /// Reports that a connection was closed, or could not be established.
    package mutating func disconnected(connection: Int32, now: MediaTime) {
        guard let index = pairs.firstIndex(where: { $0.isTCP && $0.address.connection == connection }) else { return }
        let wasSelected = pairs[index].address == selected
        pairs[index].disconnect()
        // Delays the next attempt: a peer that refuses one connection refuses an immediate second one as well.
        nextStream = now + configuration.streamDelay
        if wasSelected { seek(now: now) }
    }

    /// Searches again after the local socket or the network has changed: checks the selected pair first, then the others.
    package mutating func rebind(now: MediaTime) {
        for index in pairs.indices where pairs[index].isTCP { dropConnection(at: index) }
        seek(now: now)
    }

    /// Starts an ICE restart (RFC 8445 section 9): all pairs are checked again. Media is sent to the selected pair until another one is
    /// selected.
    /// - Parameter candidates: candidates of the peer after the restart, to `add` afterwards; the others are discarded. Nil keeps all.
    package mutating func restart(
        local: ICECredentials, remote: ICECredentials, keeping candidates: [ICECandidate]? = nil, now: MediaTime
    ) {
        configuration.local = local
        configuration.remote = remote
        if let candidates {
            for index in pairs.indices.reversed() where !pairs[index].isOf(candidates) {
                dropConnection(at: index)
                pairs.remove(at: index)
            }
        }
        seek(now: now)
    }

    package mutating func handleTimeout(now: MediaTime) {
        for index in pairs.indices {
            guard var check = pairs[index].check, check.due <= now else { continue }
            if check.repeats(now: now) {
                pairs[index].check = check
                pairs[index].checks += 1
                outputs.append(.transmit(check.datagram, to: pairs[index].address))
            } else {
                pairs[index].check = nil
                pairs[index].state = .failed
            }
        }
        if isSeeking {
            connectStreams(now: now)
            checkNextPair(now: now)
        }
        askForConsent(now: now)
    }

    private mutating func seek(now: MediaTime) {
        isSeeking = true
        consents = []
        for index in pairs.indices { pairs[index].reset() }
        nextPair = now
        nextStream = now + configuration.streamDelay
        if let index = pairs.firstIndex(where: { $0.address == selected && $0.state == .waiting }) {
            startCheck(at: index, isNomination: isControlling, now: now)
            nextPair = now + configuration.pacing
        }
        handleTimeout(now: now)
    }

    private mutating func connectStreams(now: MediaTime) {
        let isUDPHopeless = !pairs.contains { !$0.isTCP && $0.state != .failed }
        guard now >= nextStream || isUDPHopeless && lastConsent == nil && nextConnection == 0 else { return }
        for index in pairs.indices where pairs[index].state == .unconnected {
            pairs[index].address.connection = nextConnection
            pairs[index].state = .connecting
            outputs.append(.connect(pairs[index].address.address, connection: nextConnection))
            nextConnection += 1
        }
    }

    private mutating func checkNextPair(now: MediaTime) {
        guard now >= nextPair else { return }
        let waiting = pairs.indices.filter { pairs[$0].state == .waiting }
        guard let index = waiting.max(by: { pairs[$0].priority < pairs[$1].priority }) else { return }
        startCheck(at: index, isNomination: isControlling && configuration.nominatesAggressively, now: now)
        nextPair = now + configuration.pacing
    }

    private mutating func askForConsent(now: MediaTime) {
        guard let selected, now >= nextConsent else { return }
        let transaction = makeTransaction()
        if consents.count >= Self.outstandingConsents { consents.removeFirst() }
        consents.append(transaction)
        let nominates = isControlling && configuration.nominatesInConsent
        outputs.append(.transmit(request(transaction, isNomination: nominates), to: selected))
        scheduleConsent(now: now)
    }

    mutating func scheduleConsent(now: MediaTime) {
        let isAnswered = consents.isEmpty
        let interval = Double(
            (isAnswered ? configuration.consentInterval : configuration.consentRetry).rawValue)
        let factor = Double(random.next() >> 11) / Double(1 << 53) * 0.4 + 0.8
        nextConsent = now + .nanoseconds(Int64(interval * factor))
    }

    mutating func dropConnection(at index: Int) {
        guard pairs[index].isTCP, pairs[index].address.isTCP else { return }
        outputs.append(.disconnect(connection: pairs[index].address.connection))
        pairs[index].disconnect()
    }
}

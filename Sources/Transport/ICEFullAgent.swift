package import MediaBase
package import SDP
import STUN

/// The client's side of ICE (RFC 8445): checks the candidates of its peer, nominates the first pair that works, and goes on asking for
/// consent (RFC 7675). It has one UDP socket, which the caller may replace, and a TCP connection for each TCP candidate.
package struct ICEFullAgent {
    package struct Configuration: Sendable {
        package var local: ICECredentials
        package var remote: ICECredentials
        /// Ta: between the first checks of two pairs (RFC 8445 section 14.2).
        package var pacing = MediaTime.milliseconds(50)
        /// RTO of the first retransmission of a check.
        package var retransmission = MediaTime.milliseconds(500)
        /// On average; each one is drawn from 0.8 to 1.2 times it (RFC 7675 section 5.1).
        package var consentInterval = MediaTime.seconds(5)
        /// The same while the last one has not been answered, so that a peer is not given up for a few datagrams that were lost.
        package var consentRetry = MediaTime.seconds(1)
        /// How long UDP is tried alone where there are candidates of both.
        package var streamDelay = MediaTime.milliseconds(500)
        /// Every check nominates, as before RFC 8445 was allowed.
        package var nominatesAggressively = false
        /// Consent checks nominate again, so that a lite peer follows at once where a NAT gives a new address.
        package var nominatesInConsent = true
        /// Begins in the role of the controlled, which a lite peer refuses by a role conflict.
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

    /// Remote candidates at most.
    package static let pairLimit = 32
    static let outstandingConsents = 8

    var configuration: Configuration
    var random: any RandomNumberGenerator
    var pairs: [CandidatePair] = []
    var outputs = OutputQueue<Output>()
    /// Media goes there.
    package internal(set) var selected: PeerAddress?
    /// Where the latest check of the peer's that was answered came from.
    package internal(set) var answered: PeerAddress?
    /// When a check on the selected pair was answered last.
    package internal(set) var lastConsent: MediaTime?
    package internal(set) var isControlling: Bool
    /// Looks for a pair: at first, after a restart, and when the selected one may not work any more.
    var isSeeking = true
    let tieBreaker: UInt64
    var nextPair: MediaTime
    var nextConsent = MediaTime.never
    var nextStream: MediaTime
    var nextConnection: Int32 = 0
    /// Of consent checks that may still be answered.
    var consents: [STUNTransactionID] = []

    package init(_ configuration: Configuration, random: any RandomNumberGenerator, now: MediaTime) {
        self.configuration = configuration
        self.random = random
        isControlling = !configuration.beginsControlled
        tieBreaker = self.random.next()
        nextPair = now
        nextStream = now + configuration.streamDelay
    }

    /// When `handleTimeout` is to be called next.
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

    /// Whether an address is a candidate of the peer's.
    package func isKnown(_ address: PeerAddress) -> Bool { pairs.contains { $0.address == address } }

    /// The peer's candidates that were tried.
    package var tried: [MediaPathReport.Candidate] {
        pairs.map {
            MediaPathReport.Candidate(
                address: $0.address.address, isTCP: $0.isTCP, checks: $0.checks, answers: $0.answers)
        }
    }

    /// Takes a candidate of the peer's.
    /// - Returns: false where it is of no use: a name, an active TCP candidate, another component, one too many.
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

    /// A connection that was asked for stands.
    package mutating func connected(connection: Int32, now: MediaTime) {
        guard let place = pairs.firstIndex(where: { $0.isTCP && $0.address.connection == connection }) else { return }
        if pairs[place].state == .connecting { pairs[place].state = .waiting }
        handleTimeout(now: now)
    }

    /// A connection is closed, or could not be made.
    package mutating func disconnected(connection: Int32, now: MediaTime) {
        guard let place = pairs.firstIndex(where: { $0.isTCP && $0.address.connection == connection }) else { return }
        let wasSelected = pairs[place].address == selected
        pairs[place].disconnect()
        // Not again at once: who refuses a connection refuses the next one as well.
        nextStream = now + configuration.streamDelay
        if wasSelected { seek(now: now) }
    }

    /// The local socket is another one, or the network is: the selected pair is checked at once, the rest after it.
    package mutating func rebind(now: MediaTime) {
        for place in pairs.indices where pairs[place].isTCP { dropConnection(at: place) }
        seek(now: now)
    }

    /// ICE restart (RFC 8445 section 9): all pairs are checked anew. Media goes on to the selected one meanwhile.
    package mutating func restart(local: ICECredentials, remote: ICECredentials, now: MediaTime) {
        configuration.local = local
        configuration.remote = remote
        seek(now: now)
    }

    package mutating func handleTimeout(now: MediaTime) {
        for place in pairs.indices {
            guard var check = pairs[place].check, check.due <= now else { continue }
            if check.repeats(now: now) {
                pairs[place].check = check
                pairs[place].checks += 1
                outputs.append(.transmit(check.datagram, to: pairs[place].address))
            } else {
                pairs[place].check = nil
                pairs[place].state = .failed
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
        for place in pairs.indices { pairs[place].reset() }
        nextPair = now
        nextStream = now + configuration.streamDelay
        if let place = pairs.firstIndex(where: { $0.address == selected && $0.state == .waiting }) {
            startCheck(at: place, isNomination: isControlling, now: now)
            nextPair = now + configuration.pacing
        }
        handleTimeout(now: now)
    }

    private mutating func connectStreams(now: MediaTime) {
        let isUDPHopeless = !pairs.contains { !$0.isTCP && $0.state != .failed }
        guard now >= nextStream || isUDPHopeless && lastConsent == nil && nextConnection == 0 else { return }
        for place in pairs.indices where pairs[place].state == .unconnected {
            pairs[place].address.connection = nextConnection
            pairs[place].state = .connecting
            outputs.append(.connect(pairs[place].address.address, connection: nextConnection))
            nextConnection += 1
        }
    }

    private mutating func checkNextPair(now: MediaTime) {
        guard now >= nextPair else { return }
        let waiting = pairs.indices.filter { pairs[$0].state == .waiting }
        guard let place = waiting.max(by: { pairs[$0].priority < pairs[$1].priority }) else { return }
        startCheck(at: place, isNomination: isControlling && configuration.nominatesAggressively, now: now)
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

    mutating func dropConnection(at place: Int) {
        guard pairs[place].isTCP, pairs[place].address.isTCP else { return }
        outputs.append(.disconnect(connection: pairs[place].address.connection))
        pairs[place].disconnect()
    }
}

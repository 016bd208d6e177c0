package import MediaBase
package import SDP
import STUN

/// The relay's side of ICE (RFC 8445 section 2.5): it answers the checks of one peer and follows what the peer nominates. It never checks
/// anything itself and is always controlled.
///
/// What it holds to, whatever comes in:
/// - Only an authentic check makes it remember an address or answer. A copy of a check seen before changes nothing, and is answered only
///   where its address is known already.
/// - To an address that the peer has not nominated go at most as many bytes as came from there; to one that was nominated no more than
///   `firstFlightAllowance` beyond that, once, until `confirm()`.
///
/// ```swift
/// var agent = ICELiteAgent(local: mine, remoteFragment: theirs)
/// let reaction = agent.receive(datagram, from: source, now: now)
/// if let answer = reaction.answer { send(answer, source) }
/// if reaction.hasMoved { moveMedia(agent.selected) }
/// ```
package struct ICELiteAgent: Sendable {
    /// What one datagram led to.
    package struct Reaction: Sendable {
        /// To be sent to where the datagram came from; already accounted for.
        package var answer: [UInt8]?
        /// The datagram was an authentic check, not seen before.
        package var isCheck = false
        /// `selected` is another one than before.
        package var hasMoved = false
    }

    /// One pair of credentials: what a check names itself by and the password that it is made with.
    private struct Generation: Sendable {
        let local: ICECredentials
        let username: String
        let key: [UInt8]

        init(local: ICECredentials, remoteFragment: String) {
            self.local = local
            username = local.ufrag + ":" + remoteFragment
            key = Array(local.password.utf8)
        }
    }

    /// Bytes of a user name at most (RFC 5389 section 15.3): two fragments of 256 and a colon.
    package static let longestUsername = 513
    /// Addresses remembered; a peer with more of them loses what was checked least recently.
    package static let addressLimit = 16
    /// Bytes to a nominated address beyond those that came from it, once for all addresses: about four times the DTLS flight of a server,
    /// and less than what the offer of a browser took to get here.
    package static let firstFlightAllowance = 4_096
    /// A selected address that was not checked for this long loses to one that is. Checks of consent come every 4 to 6 s (RFC 7675
    /// section 5.1), and go by the pair that the peer uses: the first of them after a NAT gave it another address is enough.
    package static let silence = MediaTime.seconds(4)

    package private(set) var statistics = ICEStatistics()
    /// Where media goes: what was nominated last. Nil before any nomination.
    package private(set) var selected: PeerAddress?
    /// When something authentic last came from the address that media goes to; before any nomination from any validated address. The
    /// relay may send for as long as this is recent (RFC 7675 section 5.1).
    package private(set) var lastAuthentic: MediaTime?

    private var current: Generation
    /// Of an ICE restart whose first check has not come.
    private var next: Generation?
    private var remotes: [RemoteAddress] = []
    private var history = TransactionHistory()
    private var allowance = ICELiteAgent.firstFlightAllowance
    private var isConfirmed = false

    /// - Parameter remoteFragment: the peer's user name fragment.
    package init(local: ICECredentials, remoteFragment: String) {
        current = Generation(local: local, remoteFragment: remoteFragment)
    }

    /// The credentials that checks may be made with now.
    package var credentials: [ICECredentials] { [current.local] + (next.map { [$0.local] } ?? []) }

    /// Addresses that authentic checks came from.
    package var validated: [PeerAddress] { remotes.map(\.address) }

    package func isValidated(_ address: PeerAddress) -> Bool { index(of: address) != nil }

    /// Takes a STUN datagram.
    package mutating func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime)
        -> Reaction
    {
        let request: BindingRequest
        do throws(BindingRequest.Refusal) {
            request = try BindingRequest(datagram) { generation(for: $0)?.key }
        } catch {
            switch error {
            case .malformed: statistics.malformed += 1
            case .unauthentic: statistics.unauthentic += 1
            }
            return Reaction()
        }
        guard let generation = request.message.username.flatMap({ generation(for: $0) }) else { return Reaction() }
        var reaction = Reaction()
        let isNew = history.insert(request.message.transaction)
        if request.isIndication {
            statistics.indications += 1
            if isNew { _ = receivedAuthentic(from: source, now: now) }
            return reaction
        }
        if isNew {
            statistics.checks += 1
            if generation.username == next?.username {
                current = generation
                next = nil
            }
            remember(source, now: now)
            reaction.isCheck = true
        } else {
            statistics.repeats += 1
        }
        guard let place = index(of: source) else { return reaction }
        remotes[place].credit += datagram.count
        let answer = judge(request, generation.key, at: place, isNew: isNew, &reaction)
        if isNew, selected == nil || selected == source { lastAuthentic = now }
        if let answer, spend(answer.count, at: place) {
            reaction.answer = answer
        } else {
            statistics.unanswered += 1
        }
        return reaction
    }

    /// Counts bytes that came from a validated address and are no STUN; false where the address is none.
    package mutating func received(_ bytes: Int, from source: PeerAddress) -> Bool {
        guard let place = index(of: source) else { return false }
        remotes[place].credit += bytes
        return true
    }

    /// Notes that a packet that is authentic and new came from an address: a sign of life of the peer if media goes there. Packets from
    /// another address do not keep a selected one in use.
    /// - Returns: whether the address is validated.
    package mutating func receivedAuthentic(from source: PeerAddress, now: MediaTime) -> Bool {
        if source == selected {
            lastAuthentic = now
            return true
        }
        guard isValidated(source) else { return false }
        if selected == nil { lastAuthentic = now }
        return true
    }

    /// Whether so many bytes may be sent to an address now; where they may, they count as sent.
    package mutating func spend(_ bytes: Int, to address: PeerAddress) -> Bool {
        guard let place = index(of: address) else { return false }
        return spend(bytes, at: place)
    }

    /// The peer has shown that it reads what goes to the addresses it nominates: to them any number of bytes may go.
    package mutating func confirm() { isConfirmed = true }

    /// Takes new credentials (RFC 8445 section 9). Those of before stay valid until a check with the new ones arrives.
    package mutating func restart(local: ICECredentials, remoteFragment: String) {
        next = Generation(local: local, remoteFragment: remoteFragment)
    }

    /// An address can no longer be reached: its TCP connection is closed. Media goes to the nominated address that was checked last, where
    /// there is another.
    /// - Returns: whether `selected` is another one than before.
    package mutating func forget(_ address: PeerAddress) -> Bool {
        remotes.removeAll { $0.address == address }
        guard address == selected,
            let best = remotes.filter(\.isNominated).max(by: { $0.lastCheck < $1.lastCheck })
        else { return false }
        return select(best.address)
    }

    private func generation(for username: String) -> Generation? {
        if username == current.username { return current }
        return next?.username == username ? next : nil
    }

    private func index(of address: PeerAddress) -> Int? { remotes.firstIndex { $0.address == address } }

    private mutating func remember(_ source: PeerAddress, now: MediaTime) {
        if let place = index(of: source) {
            remotes[place].lastCheck = now
            return
        }
        if remotes.count >= Self.addressLimit {
            let oldest = remotes.indices.filter { remotes[$0].address != selected }
                .min { remotes[$0].lastCheck < remotes[$1].lastCheck }
            if let oldest { remotes.remove(at: oldest) }
        }
        remotes.append(RemoteAddress(address: source, lastCheck: now))
    }

    /// What an authentic request leads to (RFC 8445 section 7.3.1).
    private mutating func judge(
        _ request: BindingRequest, _ key: [UInt8], at place: Int, isNew: Bool, _ reaction: inout Reaction
    ) -> [UInt8]? {
        let unknown = request.message.unknownRequiredTypes
        guard unknown.isEmpty else {
            statistics.unknownAttributes += 1
            return request.error(.unknownAttribute, unknown: unknown, key: key)
        }
        guard request.message.iceControlled == nil else {
            // Section 7.3.1.1 lets the tie breaker decide; an agent that can only be controlled has the smallest there is.
            statistics.roleConflicts += 1
            return request.error(.roleConflict, key: key)
        }
        if isNew {
            let address = remotes[place].address
            if request.message.isNomination {
                remotes[place].isNominated = true
                reaction.hasMoved = select(address)
            } else if let selected, selected != address, isSilent(selected, now: remotes[place].lastCheck) {
                // Consent checks need not nominate (RFC 7675): what a NAT did to the pair shows in where they come from.
                reaction.hasMoved = select(address)
                remotes[place].isNominated = true
            }
        }
        guard let mapped = STUNAddress(remotes[place].address.address) else { return nil }
        return request.success(mapped: mapped, key: key)
    }

    private mutating func select(_ address: PeerAddress) -> Bool {
        guard selected != address else { return false }
        selected = address
        statistics.moves += 1
        return true
    }

    private func isSilent(_ address: PeerAddress, now: MediaTime) -> Bool {
        guard let place = index(of: address) else { return true }
        return now - remotes[place].lastCheck >= Self.silence
    }

    private mutating func spend(_ bytes: Int, at place: Int) -> Bool {
        let remote = remotes[place]
        // Who opened a TCP connection reads what is sent on it.
        if remote.address.isTCP || isConfirmed && remote.isNominated { return true }
        let beyond = max(0, bytes - remote.credit)
        guard beyond == 0 || remote.isNominated && beyond <= allowance else { return false }
        allowance -= beyond
        remotes[place].credit += beyond - bytes
        return true
    }
}

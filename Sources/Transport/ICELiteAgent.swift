package import MediaBase
package import SDP
import STUN

/// ICE-lite agent of the relay (RFC 8445 section 2.5): answers the checks of one peer and follows its nominations. Sends no checks of its
/// own and is always controlled.
///
/// Invariants, for any input:
/// - Only an authenticated check makes the agent store an address or send an answer. A copy of an earlier check changes nothing, and is
///   answered only if its address is known already.
/// - An address that the peer has not nominated gets at most as many bytes as were received from it. Nominated addresses together get at
///   most `firstFlightAllowance` bytes beyond that, once, until `confirm()`.
///
/// ```swift
/// var agent = ICELiteAgent(local: mine, remoteFragment: theirs)
/// let reaction = agent.receive(datagram, from: source, now: now)
/// if let answer = reaction.answer { send(answer, source) }
/// if reaction.hasMoved { moveMedia(agent.selected) }
/// ```
package struct ICELiteAgent: Sendable {
    /// Result of one datagram.
    package struct Reaction: Sendable {
        /// Answer to send to the source of the datagram. Its bytes have been counted already.
        package var answer: [UInt8]?
        /// True if the datagram was an authenticated check that was not seen before.
        package var isCheck = false
        /// True if `selected` has changed.
        package var hasMoved = false
    }

    /// Set of credentials: the user name of a check and the password that authenticates it.
    private struct Generation: Sendable {
        let local: ICECredentials
        let remoteFragment: String

        // Checks are rare, and most agents have not received any, so these are not stored.
        var username: String { local.ufrag + ":" + remoteFragment }
        var key: [UInt8] { Array(local.password.utf8) }
    }

    /// Maximum length of a user name in bytes (RFC 5389 section 15.3): two fragments of 256 and a colon.
    package static let longestUsername = 513
    /// Maximum number of stored addresses. If a peer uses more, the least recently checked one is removed.
    package static let addressLimit = 16
    /// Bytes that nominated addresses may get beyond those received from them, once for all addresses: about four times a server's DTLS
    /// flight, and less than the length of a browser's offer.
    package static let firstFlightAllowance = 4_096
    /// Time without checks after which a selected address is replaced by one that is checked. Consent checks are sent every 4 to 6 s (RFC
    /// 7675 section 5.1) on the pair that the peer uses. The first one after a NAT rebinding is enough to switch.
    package static let silence = MediaTime.seconds(4)

    package private(set) var statistics = ICEStatistics()
    /// Destination of media: the last nominated address; nil before any nomination.
    package private(set) var selected: PeerAddress?
    /// Time of the last authenticated packet from the selected address; before any nomination, from any validated address. The relay may
    /// send while this is recent (RFC 7675 section 5.1).
    package private(set) var lastAuthentic: MediaTime?

    private var current: Generation
    /// Credentials of an ICE restart whose first check has not arrived yet.
    private var next: Generation?
    private var remotes: [RemoteAddress] = []
    private var history = TransactionHistory()
    private var allowance = ICELiteAgent.firstFlightAllowance
    private var isConfirmed = false

    /// - Parameter remoteFragment: the peer's user name fragment.
    package init(local: ICECredentials, remoteFragment: String) {
        current = Generation(local: local, remoteFragment: remoteFragment)
    }

    /// Local credentials that are valid in checks now.
    package var credentials: [ICECredentials] { [current.local] + (next.map { [$0.local] } ?? []) }

    /// Addresses that authenticated checks came from.
    package var validated: [PeerAddress] { remotes.map(\.address) }

    package func isValidated(_ address: PeerAddress) -> Bool { index(of: address) != nil }

    /// Handles a STUN datagram.
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
        guard let index = index(of: source) else { return reaction }
        remotes[index].credit += datagram.count
        let answer = judge(request, generation.key, at: index, isNew: isNew, &reaction)
        if isNew, selected == nil || selected == source { lastAuthentic = now }
        if let answer, spend(answer.count, at: index) {
            reaction.answer = answer
        } else {
            statistics.unanswered += 1
        }
        return reaction
    }

    /// Counts received bytes that are not STUN. Returns false if the address is not validated.
    package mutating func received(_ bytes: Int, from source: PeerAddress) -> Bool {
        guard let index = index(of: source) else { return false }
        remotes[index].credit += bytes
        return true
    }

    /// Records an authenticated new packet. It shows that the peer is alive if it came from the selected address; packets from other
    /// addresses do not keep the selected one in use.
    /// - Returns: true if the address is validated.
    package mutating func receivedAuthentic(from source: PeerAddress, now: MediaTime) -> Bool {
        if source == selected {
            lastAuthentic = now
            return true
        }
        guard isValidated(source) else { return false }
        if selected == nil { lastAuthentic = now }
        return true
    }

    /// Returns whether `bytes` may be sent to an address now. If so, counts them as sent.
    package mutating func spend(_ bytes: Int, to address: PeerAddress) -> Bool {
        guard let index = index(of: address) else { return false }
        return spend(bytes, at: index)
    }

    /// Removes the byte limit for nominated addresses, because the peer has shown that it receives data at the addresses it nominates.
    package mutating func confirm() { isConfirmed = true }

    /// Starts an ICE restart with new credentials (RFC 8445 section 9). The previous ones stay valid until a check with the new ones
    /// arrives.
    package mutating func restart(local: ICECredentials, remoteFragment: String) {
        next = Generation(local: local, remoteFragment: remoteFragment)
    }

    /// Removes an address whose TCP connection is closed. If it was selected, media moves to the most recently checked nominated address,
    /// if there is another.
    /// - Returns: true if `selected` has changed.
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
        if let index = index(of: source) {
            remotes[index].lastCheck = now
            return
        }
        if remotes.count >= Self.addressLimit {
            let oldest = remotes.indices.filter { remotes[$0].address != selected }
                .min { remotes[$0].lastCheck < remotes[$1].lastCheck }
            if let oldest { remotes.remove(at: oldest) }
        }
        remotes.append(RemoteAddress(address: source, lastCheck: now))
    }

    /// Handles an authenticated request (RFC 8445 section 7.3.1) and returns the answer.
    private mutating func judge(
        _ request: BindingRequest, _ key: [UInt8], at index: Int, isNew: Bool, _ reaction: inout Reaction
    ) -> [UInt8]? {
        let unknown = request.message.unknownRequiredTypes
        guard unknown.isEmpty else {
            statistics.unknownAttributes += 1
            return request.error(.unknownAttribute, unknown: unknown, key: key)
        }
        guard request.message.iceControlled == nil else {
            // RFC 8445 section 7.3.1.1 resolves the conflict by tie breaker. An agent that can only be controlled acts as if it had the
            // smallest one.
            statistics.roleConflicts += 1
            return request.error(.roleConflict, key: key)
        }
        if isNew {
            let address = remotes[index].address
            if request.message.isNomination {
                remotes[index].isNominated = true
                reaction.hasMoved = select(address)
            } else if let selected, selected != address, isSilent(selected, now: remotes[index].lastCheck) {
                // Consent checks need not nominate (RFC 7675), so a NAT rebinding shows only in the source address of the checks.
                reaction.hasMoved = select(address)
                remotes[index].isNominated = true
            }
        }
        guard let mapped = STUNAddress(remotes[index].address.address) else { return nil }
        return request.success(mapped: mapped, key: key)
    }

    private mutating func select(_ address: PeerAddress) -> Bool {
        guard selected != address else { return false }
        selected = address
        statistics.moves += 1
        return true
    }

    private func isSilent(_ address: PeerAddress, now: MediaTime) -> Bool {
        guard let index = index(of: address) else { return true }
        return now - remotes[index].lastCheck >= Self.silence
    }

    private mutating func spend(_ bytes: Int, at index: Int) -> Bool {
        let remote = remotes[index]
        // A peer that opened a TCP connection receives what is sent on it.
        if remote.address.isTCP || isConfirmed && remote.isNominated { return true }
        let beyond = max(0, bytes - remote.credit)
        guard beyond == 0 || remote.isNominated && beyond <= allowance else { return false }
        allowance -= beyond
        remotes[index].credit += beyond - bytes
        return true
    }
}

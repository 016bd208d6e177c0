import DTLS
package import MediaBase
import STUN

// Sends requests, and handles responses and requests.

extension ICEFullAgent {
    /// PRIORITY of a peer reflexive candidate with the highest local preference (RFC 8445 sections 5.1.2.1 and 7.1.1).
    private static let priority: UInt32 = 110 << 24 | 65_535 << 8 | 255

    mutating func makeTransaction() -> STUNTransactionID {
        STUNTransactionID(high: UInt32(truncatingIfNeeded: random.next()), low: random.next())
    }

    func request(_ transaction: STUNTransactionID, isNomination: Bool) -> [UInt8] {
        var attributes: [STUNAttribute] = [
            .username(configuration.remote.ufrag + ":" + configuration.local.ufrag), .priority(Self.priority),
            isControlling ? .iceControlling(tieBreaker) : .iceControlled(tieBreaker),
        ]
        if isNomination { attributes.append(.useCandidate) }
        let key = Array(configuration.remote.password.utf8)
        return STUNMessage(.request, transaction: transaction, attributes: attributes)
            .bytes(integrity: { MessageAuthentication.hmacSHA1(key: key, $0) })
    }

    mutating func startCheck(at index: Int, isNomination: Bool, now: MediaTime) {
        let transaction = makeTransaction()
        let check = ConnectivityCheck(
            transaction, isNomination: isNomination, isControlling: isControlling,
            datagram: request(transaction, isNomination: isNomination), firstWait: configuration.retransmission,
            isReliable: pairs[index].isTCP, now: now)
        pairs[index].check = check
        pairs[index].state = .checking
        pairs[index].checks += 1
        outputs.append(.transmit(check.datagram, to: pairs[index].address))
    }

    /// Handles a STUN datagram. Ignores it if it is not authenticated.
    package mutating func receive(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        guard let message = try? STUNMessage(parsing: datagram), message.method == .binding else { return }
        switch message.messageClass {
        case .success, .error: receiveResponse(message, datagram, from: source, now: now)
        case .request: receiveRequest(datagram, from: source, now: now)
        case .indication: break
        }
    }

    private mutating func receiveResponse(
        _ message: STUNMessage, _ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime
    ) {
        let index = pairs.firstIndex { $0.check?.transaction == message.transaction && $0.address == source }
        let isConsent = source == selected && consents.contains(message.transaction)
        guard index != nil || isConsent else { return }
        let key = Array(configuration.remote.password.utf8)
        guard message.verifyFingerprint(of: datagram),
            message.verifyIntegrity(of: datagram, hmac: { MessageAuthentication.hmacSHA1(key: key, $0) })
        else { return }
        if let index { pairs[index].answers += 1 }
        guard message.messageClass == .success else {
            if let index { refused(message.errorCode, at: index, now: now) }
            return
        }
        if isConsent {
            consents = []
            scheduleConsent(now: now)
        }
        if source == selected { lastConsent = now }
        guard let index, let check = pairs[index].check else { return }
        pairs[index].check = nil
        pairs[index].state = .valid
        guard isSeeking else { return }
        if check.isNomination || pairs[index].isNominatedByPeer {
            select(index, now: now)
        } else if isControlling, !pairs.contains(where: { $0.check?.isNomination == true }) {
            startCheck(at: index, isNomination: true, now: now)
        }
    }

    private mutating func refused(_ code: STUNErrorCode?, at index: Int, now: MediaTime) {
        guard let check = pairs[index].check else { return }
        pairs[index].check = nil
        guard code?.code == STUNErrorCode.roleConflict.code else {
            pairs[index].state = .failed
            return
        }
        // RFC 8445 section 7.2.5.1: switches to the opposite of the role in the request, which may differ from the current role.
        isControlling = !check.isControlling
        startCheck(at: index, isNomination: isControlling && check.isNomination, now: now)
    }

    private mutating func receiveRequest(_ datagram: UnsafeRawBufferPointer, from source: PeerAddress, now: MediaTime) {
        let name = configuration.local.ufrag + ":" + configuration.remote.ufrag
        let key = Array(configuration.local.password.utf8)
        guard let request = try? BindingRequest(datagram, key: { $0 == name ? key : nil }) else { return }
        let unknown = request.message.unknownRequiredTypes
        guard unknown.isEmpty else {
            outputs.append(.transmit(request.error(.unknownAttribute, unknown: unknown, key: key), to: source))
            return
        }
        guard resolveRoles(request) else {
            outputs.append(.transmit(request.error(.roleConflict, key: key), to: source))
            return
        }
        guard let mapped = STUNAddress(source.address) else { return }
        outputs.append(.transmit(request.success(mapped: mapped, key: key), to: source))
        answered = source
        triggerCheck(request, from: source, now: now)
    }

    /// Resolves a role conflict (RFC 8445 section 7.3.1.1).
    /// - Returns: false if the peer must change its role.
    private mutating func resolveRoles(_ request: BindingRequest) -> Bool {
        if isControlling, let theirs = request.message.iceControlling {
            if tieBreaker >= theirs { return false }
            isControlling = false
        } else if !isControlling, let theirs = request.message.iceControlled {
            if tieBreaker < theirs { return false }
            isControlling = true
        }
        return true
    }

    /// Checks the source of a request in return (RFC 8445 sections 7.3.1.3 to 7.3.1.5).
    private mutating func triggerCheck(_ request: BindingRequest, from source: PeerAddress, now: MediaTime) {
        if !pairs.contains(where: { $0.address == source }) {
            guard !source.isTCP, pairs.count < Self.pairLimit else { return }
            pairs.append(
                CandidatePair(address: source, isTCP: false, priority: request.message.priority ?? Self.priority))
        }
        guard let index = pairs.firstIndex(where: { $0.address == source }) else { return }
        if !isControlling, request.message.isNomination {
            pairs[index].isNominatedByPeer = true
            if pairs[index].state == .valid, selected != source { return select(index, now: now) }
        }
        guard isSeeking, pairs[index].state == .waiting || pairs[index].state == .failed else { return }
        startCheck(at: index, isNomination: isControlling && configuration.nominatesAggressively, now: now)
    }

    private mutating func select(_ index: Int, now: MediaTime) {
        isSeeking = false
        lastConsent = now
        consents = []
        for other in pairs.indices where other != index {
            dropConnection(at: other)
            pairs[other].check = nil
        }
        scheduleConsent(now: now)
        guard selected != pairs[index].address else { return }
        selected = pairs[index].address
        outputs.append(.selected(pairs[index].address))
    }
}

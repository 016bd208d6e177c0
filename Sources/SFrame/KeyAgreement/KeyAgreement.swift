package import MediaBase

/// Agreement of a session's participants on the secrets of their frames (E2E-3), without clock and connection.
///
/// Each participant announces a public key. The leader, which is the connected participant that joined first, makes a secret for each set of
/// participants and sends it to all others, sealed for each with HPKE and authenticated by the leader's own key. Everything else comes from
/// the relay, which may lie, lose, repeat and forge.
///
/// Usage: call one of its methods, perform `takeEffects()`, then call `handleTimeout` at `deadline` at the latest.
package struct KeyAgreement: Sendable {
    package enum Effect: Hashable, Sendable {
        /// Send a signal of the type `signalType`; nil for all connections.
        case send(String, to: String?)
        /// `openingEpochs`, `sealingEpoch` or `safetyNumber` have changed.
        case keysChanged
        case failed(Failure)
    }

    /// Type of the signals.
    package static let signalType = "millrace-e2ee"

    let identity: KeyAgreementIdentity
    let session: String
    let connection: String

    var roster: KeyRoster?
    var leader: KeyAgreementMember?
    /// Newest secret, and those before it with the time at which they are forgotten.
    var current: KeyEpoch?
    var former: [(epoch: KeyEpoch, until: MediaTime)] = []
    /// Secret under which frames are sealed.
    var sealing: KeyEpoch?
    var activation = MediaTime.never
    /// Last epoch of each leader that was accepted, by connection; of this client: made.
    var lastNumbers: [String: UInt32] = [:]
    /// Messages that were ignored: malformed, from others than the leader, or not authentic.
    package internal(set) var refused = 0

    // State of a leader.
    var changedSince: MediaTime?
    var nextEpoch = MediaTime.never
    var lastEpoch: MediaTime?
    var answered: [String: MediaTime] = [:]

    // State of any other participant.
    /// Participants or leader have changed since the newest secret.
    var isAwaiting = false
    var nextRequest = MediaTime.never
    var requestInterval = Timing.request
    var overdue = MediaTime.never
    var mismatchSince: MediaTime?
    private var decryptions = 0
    private var decryptionsSince = MediaTime.zero

    var reported: Set<Failure> = []
    private var effects: [Effect] = []

    /// - Parameters:
    ///   - session: id of the session.
    ///   - connection: own connection id, under which the relay announces the public key of `identity`.
    package init(_ identity: KeyAgreementIdentity, session: String, connection: String) {
        self.identity = identity
        self.session = session
        self.connection = connection
    }

    // MARK: results

    package mutating func takeEffects() -> [Effect] {
        defer { effects = [] }
        return effects
    }

    /// Secrets under which frames are opened, the newest last.
    package var openingEpochs: [KeyEpoch] { former.map(\.epoch) + [current].compactMap { $0 } }

    /// Secret under which frames are sealed; nil while there is none for the present participants, in which case none may be sent.
    package var sealingEpoch: KeyEpoch? { sealing }

    /// Number for participants to compare; nil before the first secret.
    package var safetyNumber: String? { current.map { SafetyNumber.text(ofRoster: $0.roster) } }

    /// Whether the newest secret was made for the present participants, by the present leader.
    package var isSettled: Bool { current != nil && !isAwaiting && current?.roster == roster?.digest }

    // MARK: input

    /// Takes the participants with a public key, after each change.
    /// - Parameter isComplete: false if the relay only counts some participants.
    package mutating func setMembers(_ members: [KeyAgreementMember], isComplete: Bool, now: MediaTime) {
        let new = KeyRoster(session: session, members: members)
        guard new.member(connection)?.key == identity.key.publicKey else { return fail(.unsupportedByRelay) }
        let isChange = new.digest != roster?.digest
        let before = leader?.connection
        let canAgree = isComplete && new.members.count <= Limit.members
        roster = new
        leader = canAgree ? new.leader : nil
        if isChange {
            isAwaiting = true
            mismatchSince = nil
            reported = []
            answered = answered.filter { new.member($0.key) != nil }
        }
        if current?.roster == new.digest, canAgree {
            overdue = .never
        } else if overdue == .never, isChange || !canAgree {
            overdue = now + Timing.overdue
        }
        guard canAgree else {
            nextEpoch = .never
            nextRequest = .never
            return fail(.tooManyParticipants)
        }
        guard isChange || leader?.connection != before else { return }
        // A new leader cannot know who has the secret of the former one.
        isAwaiting = true
        if isLeader {
            nextRequest = .never
            scheduleEpoch(now: now)
        } else {
            nextEpoch = .never
            changedSince = nil
            expectEpoch(now: now)
        }
    }

    /// Continues after a loss of the own connection, in which messages may have been lost.
    package mutating func resume(now: MediaTime) {
        guard !isSettled, leader != nil else { return }
        if isLeader { scheduleEpoch(now: now) } else { expectEpoch(now: now) }
    }

    /// Takes the data of a signal.
    /// - Parameter from: connection of its sender; nil for the application's server.
    package mutating func receive(_ data: String, from sender: String?, now: MediaTime) {
        // A signal to all comes back to its sender.
        guard sender != connection else { return }
        guard let sender, let message = KeyMessage(parsing: data) else { return refuse() }
        switch message.body {
        case .secrets(let first, let entries): follow(message, first: Int(first), entries, from: sender, now: now)
        case .request: answer(message, to: sender, now: now)
        }
    }

    // MARK: time

    package var deadline: MediaTime {
        let mismatch = mismatchSince.map { $0 + Timing.mismatch } ?? .never
        return [
            nextEpoch, activation, nextRequest, overdue, isLeader ? .never : mismatch,
            former.first?.until ?? .never,
        ].min() ?? .never
    }

    package mutating func handleTimeout(now: MediaTime, using generator: inout some RandomNumberGenerator) {
        if nextEpoch <= now { makeEpoch(now: now, using: &generator) }
        if activation <= now { activate() }
        if let first = former.first, first.until <= now {
            former.removeAll { $0.until <= now }
            keysChanged()
        }
        if overdue <= now {
            overdue = .never
            sealing = nil
            activation = .never
            keysChanged()
            if reported.isEmpty { fail(.noKeys) }
        }
        if !isLeader, let mismatchSince, mismatchSince + Timing.mismatch <= now {
            self.mismatchSince = nil
            fail(.membershipMismatch)
        }
        if nextRequest <= now { request(now: now) }
    }

    // MARK: parts of both roles

    var isLeader: Bool { leader?.connection == connection }

    /// Makes a secret the newest one.
    mutating func adopt(_ epoch: KeyEpoch, now: MediaTime) {
        former.removeAll { $0.epoch.frameEpoch == epoch.frameEpoch }
        if let current, current.frameEpoch != epoch.frameEpoch {
            former.append((current, now + Timing.formerEpochs))
            if former.count > Limit.formerEpochs { former.removeFirst() }
        }
        if lastNumbers.count >= Limit.leaders { lastNumbers = lastNumbers.filter { roster?.member($0.key) != nil } }
        lastNumbers[epoch.maker] = epoch.number
        current = epoch
        isAwaiting = false
        overdue = .never
        nextRequest = epoch.maker == connection ? .never : now + Timing.confirmation
        mismatchSince = nil
        if sealing == nil || sealing?.frameEpoch == epoch.frameEpoch {
            activate()
        } else if activation == .never {
            activation = now + Timing.activation
        }
        keysChanged()
    }

    private mutating func activate() {
        activation = .never
        sealing = current
        keysChanged()
    }

    /// Counts an attempt to decrypt a message.
    /// - Returns: false if there were too many.
    mutating func admitDecryption(now: MediaTime) -> Bool {
        if now - decryptionsSince >= .seconds(1) {
            decryptionsSince = now
            decryptions = 0
        }
        guard decryptions < Limit.messagesPerSecond else { return false }
        decryptions += 1
        return true
    }

    mutating func refuse() { refused = refused == .max ? .max : refused + 1 }

    mutating func fail(_ failure: Failure) {
        if reported.insert(failure).inserted { effects.append(.failed(failure)) }
    }

    mutating func send(_ message: KeyMessage, to receiver: String?) {
        effects.append(.send(message.text, to: receiver))
    }

    private mutating func keysChanged() {
        if effects.last != .keysChanged { effects.append(.keysChanged) }
    }

    /// Context of a sealed secret.
    func info(_ epoch: UInt32, receiver: String) -> [UInt8] {
        let number = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> UInt32(24 - 8 * $0)) }
        return Array("\(EncryptionSecret.label) epoch\0\(session)\0".utf8) + number + Array(receiver.utf8)
    }
}

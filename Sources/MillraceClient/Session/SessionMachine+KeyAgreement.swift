import MediaBase
import SFrame
import Signaling

/// Agreement on the keys of end-to-end encryption over signals (E2E-3).
extension SessionMachine {
    /// Makes the key pair of the next join.
    /// - Returns: the public key; nil if the application has not asked for the agreement.
    mutating func makeIdentity() -> String? {
        identity = entry?.agreesOnKeys == true ? try? KeyAgreementIdentity(using: &random) : nil
        return identity?.publicKey
    }

    /// Begins the agreement of a new connection.
    mutating func beginAgreement(now: MediaTime) {
        model.safetyNumber = nil
        agreement = nil
        guard let identity, let session = model.session, let connection = model.connection else { return }
        agreement = KeyAgreement(identity, session: session.rawValue, connection: connection.rawValue)
        updateMembers(now: now)
    }

    /// Tells the agreement who is in the session.
    mutating func updateMembers(now: MediaTime) {
        guard agreement != nil else { return }
        let members = model.users.compactMap { user in
            user.e2eeKey.flatMap {
                KeyAgreementMember(
                    connection: user.id.rawValue, publicKey: $0, joinedAt: user.joinedAt, isConnected: user.isConnected)
            }
        }
        agreement?.setMembers(members, isComplete: model.userCount <= model.users.count, now: now)
        performAgreement(now: now)
    }

    /// Takes a signal of the agreement, which the application does not get.
    mutating func take(keySignal signal: SignalReceived, now: MediaTime) {
        agreement?.receive(signal.data, from: signal.from?.rawValue, now: now)
        performAgreement(now: now)
    }

    /// Continues the agreement after a resume.
    mutating func resumeAgreement(now: MediaTime) {
        agreement?.resume(now: now)
        performAgreement(now: now)
    }

    /// Latest time of the next call of `handleAgreementTimeout`. While missed events are replayed, the participants are not known.
    var agreementDeadline: MediaTime {
        guard phase == .connected, replayLeft == 0 else { return .never }
        return agreement?.deadline ?? .never
    }

    mutating func handleAgreementTimeout(now: MediaTime) {
        guard agreementDeadline <= now else { return }
        agreement?.handleTimeout(now: now, using: &random)
        performAgreement(now: now)
    }

    private mutating func performAgreement(now: MediaTime) {
        for effect in agreement?.takeEffects() ?? [] {
            switch effect {
            case .send(let data, let receiver):
                guard phase == .connected else { continue }
                send(
                    SignalRequest(
                        type: KeyAgreement.signalType, data: data, to: receiver.map(ConnectionID.init(rawValue:))),
                    .keys, now: now)
            case .keysChanged:
                outputs.append(.media(.keysChanged))
                guard let number = agreement?.safetyNumber, model.safetyNumber != number else { continue }
                model.safetyNumber = number
                outputs.append(.event(.safetyNumberChanged(number)))
            case .failed(let failure): outputs.append(.event(.keyAgreementFailed(KeyAgreementFailure(failure))))
            }
        }
    }
}

import Cryptography
import MediaBase

/// Rules of the leader.
extension KeyAgreement {
    /// Schedules a new secret, a short time after the last change, so that several joins share one.
    mutating func scheduleEpoch(now: MediaTime) {
        let since = changedSince ?? now
        changedSince = since
        let settled = min(now + Timing.settling, since + Timing.longestSettling)
        nextEpoch = max(settled, lastEpoch.map { $0 + Timing.interval } ?? settled)
    }

    /// Makes a secret for the present participants and sends it to the others.
    mutating func makeEpoch(now: MediaTime, using generator: inout some RandomNumberGenerator) {
        nextEpoch = .never
        changedSince = nil
        guard isLeader, let roster, let number = nextNumber else { return }
        let receivers = roster.receivers(of: connection)
        var entries: [HPKEEntry] = []
        let secret: EncryptionSecret
        do {
            secret = try EncryptionSecret(
                bytes: (0..<EncryptionSecret.length).map { _ in .random(in: .min ... .max, using: &generator) })
            for receiver in receivers {
                entries.append(try seal(secret, number, to: receiver, roster, using: &generator))
            }
        } catch {
            // OpenSSL refused; the next change tries again, and after `overdue` nothing is sent.
            return
        }
        lastEpoch = now
        answered = [:]
        adopt(
            KeyEpoch(number: number, secret: secret, maker: connection, roster: roster.digest, entries: entries),
            now: now)
        // Many receivers share a signal, because the relay limits the signals of a connection.
        for first in stride(from: 0, to: entries.count, by: KeyMessage.maximumEntries) {
            let part = entries[first..<min(first + KeyMessage.maximumEntries, entries.count)]
            send(
                KeyMessage(epoch: number, roster: roster.digest, .secrets(first: UInt16(first), entries: Array(part))),
                to: nil)
        }
    }

    /// A number above all that this client has made, and if possible above that of the present secret, so that both have different epochs in
    /// frames. A leader that chose a very high number cannot prevent further epochs.
    private var nextNumber: UInt32? {
        let own = lastNumbers[connection] ?? 0
        let present = current?.number ?? 0
        let highest = present < 1 << 31 ? max(own, present) : own
        return highest < .max ? highest + 1 : nil
    }

    /// Seals for one receiver. A participant whose key is a point of low order, which no honest client has, gets an entry that opens for no one.
    private func seal(
        _ secret: EncryptionSecret, _ number: UInt32, to receiver: KeyAgreementMember, _ roster: KeyRoster,
        using generator: inout some RandomNumberGenerator
    ) throws(HPKEFailure) -> HPKEEntry {
        do throws(HPKEFailure) {
            return HPKEEntry(
                try HPKE.seal(
                    secret.bytes, to: receiver.key, from: identity.key,
                    info: info(number, receiver: receiver.connection), associatedData: roster.digest, using: &generator)
            )
        } catch {
            guard error == .invalidKey else { throw error }
            return HPKEEntry(bytes: [UInt8](repeating: 0, count: HPKEEntry.length))
        }
    }

    /// Answers a participant that lacks the present secret.
    mutating func answer(_ message: KeyMessage, to sender: String, now: MediaTime) {
        guard isLeader, let roster, roster.member(sender) != nil else { return refuse() }
        guard message.roster == roster.digest else {
            // It may have asked before it heard of the latest change. A later request with other participants is no coincidence.
            if let mismatchSince, now - mismatchSince >= Timing.mismatch { fail(.membershipMismatch) }
            mismatchSince = mismatchSince ?? now
            return
        }
        // A new secret follows for all, or was answered with a moment ago.
        guard nextEpoch == .never, let current, current.maker == connection, current.roster == roster.digest,
            answered[sender].map({ now - $0 >= Timing.answer }) ?? true,
            let index = roster.receivers(of: connection).firstIndex(where: { $0.connection == sender }),
            index < current.entries.count
        else { return }
        answered[sender] = now
        send(
            KeyMessage(
                epoch: current.number, roster: roster.digest,
                .secrets(first: UInt16(index), entries: [current.entries[index]])), to: sender)
    }
}

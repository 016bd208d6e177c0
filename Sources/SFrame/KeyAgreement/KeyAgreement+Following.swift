import Cryptography
import MediaBase

/// Rules of all participants but the leader.
extension KeyAgreement {
    /// Expects a secret from the leader, which is asked for it after a while.
    mutating func expectEpoch(now: MediaTime) {
        requestInterval = Timing.request
        nextRequest = now + requestInterval
    }

    /// Takes a secret of the leader.
    mutating func follow(
        _ message: KeyMessage, first: Int, _ entries: [HPKEEntry], from sender: String, now: MediaTime
    ) {
        guard let roster, let leader, !isLeader, sender == leader.connection else { return refuse() }
        // A repeated or delayed message. The last one counts again if another leader made a secret in between.
        let last = lastNumbers[sender] ?? 0
        guard message.epoch > last || isAwaiting && message.epoch == last else { return }
        guard message.roster == roster.digest else {
            if !isSettled, mismatchSince == nil { mismatchSince = now }
            return
        }
        guard let index = roster.receivers(of: sender).firstIndex(where: { $0.connection == connection }),
            entries.indices.contains(index - first)
        else { return }
        guard admitDecryption(now: now) else { return refuse() }
        do {
            let bytes = try HPKE.open(
                entries[index - first].message, with: identity.key, from: leader.key,
                info: info(message.epoch, receiver: connection), associatedData: roster.digest)
            adopt(
                KeyEpoch(
                    number: message.epoch, secret: try EncryptionSecret(bytes: bytes), maker: sender,
                    roster: roster.digest),
                now: now)
        } catch {
            refuse()
        }
    }

    /// Asks the leader for the secret of the present participants: soon if it is missing, else to be sure that it is the newest.
    mutating func request(now: MediaTime) {
        nextRequest = .never
        guard let roster, let leader, !isLeader else { return }
        send(KeyMessage(epoch: current?.number ?? 1, roster: roster.digest, .request), to: leader.connection)
        requestInterval = min(requestInterval + requestInterval, Timing.longestRequest)
        nextRequest = now + (isSettled ? Timing.confirmation : requestInterval)
    }
}

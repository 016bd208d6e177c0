import SFrame
import Signaling

extension SessionCore {
    func setEncryption(passphrase: String) async throws(SessionError) {
        guard !passphrase.isEmpty else {
            throw SessionError(.invalidField, "a passphrase is empty", field: "passphrase")
        }
        let name = try sessionName()
        // It takes about 0.3 s, in which the actor has to serve the connection.
        let secret = await Task.detached { try? EncryptionSecret(passphrase: passphrase, sessionName: name) }.value
        guard let secret else { throw SessionError(.mediaFailed, "the passphrase cannot be stretched") }
        try setEncryption(secret)
    }

    func setEncryption(_ secret: EncryptionSecret) throws(SessionError) {
        guard !isAgreeing else { throw SessionError(.invalidField, "the participants agree on keys", field: "secret") }
        encryption = secret
        updateFrameKeys()
        restoreVideo()
    }

    /// Whether the participants agree on keys, instead of using a secret that the application sets.
    var isAgreeing: Bool {
        switch machine.phase {
        case .idle, .failed: false
        case .opening, .entering, .asking, .connected, .waiting, .leaving: options.agreesOnKeys
        }
    }

    /// Whether streams are published encrypted.
    var isEncrypting: Bool { encryption != nil || isAgreeing }

    /// Switches video on again that was switched off because it could not be decrypted.
    func restoreVideo() {
        for subscriber in subscriptions.values where subscriber.restoreVideo() {
            Task { [preferences = subscriber.preferences, stream = subscriber.stream] in
                try? await request(UpdateSubscriptionRequest(stream: stream, preferences: preferences))
            }
        }
    }

    /// Keys of the frames that a connection publishes; none before there is a secret or the session is joined.
    func frameKeys(of connection: ConnectionID?) -> FrameKeys {
        var keys = FrameKeys(isAgreed: isAgreeing)
        if isAgreeing {
            keys.epochs = (machine.agreement?.openingEpochs ?? []).compactMap {
                frameKey($0.secret, epoch: $0.frameEpoch, of: connection)
            }
        } else if let encryption, let key = frameKey(encryption, epoch: EncryptionSecret.epoch, of: connection) {
            keys.epochs = [key]
        }
        return keys
    }

    /// Key of the frames that this client publishes.
    private var ownFrameKey: FrameKey? {
        guard isAgreeing else {
            return encryption.flatMap {
                frameKey($0, epoch: EncryptionSecret.epoch, of: machine.model.connection)
            }
        }
        return machine.agreement?.sealingEpoch.flatMap {
            frameKey($0.secret, epoch: $0.frameEpoch, of: machine.model.connection)
        }
    }

    private func frameKey(_ secret: EncryptionSecret, epoch: UInt8, of connection: ConnectionID?) -> FrameKey? {
        guard let session = machine.model.session, let connection,
            let bytes = try? secret.baseKey(session: session.rawValue, connection: connection.rawValue)
        else { return nil }
        return FrameKey(epoch: epoch, bytes: bytes)
    }

    /// Derives the keys of all publications and subscriptions again: a secret, the session's id or a connection's id has changed.
    func updateFrameKeys() {
        let own = ownFrameKey
        for publication in publications { publication.publisher.setFrameKey(own) }
        for (stream, subscriber) in subscriptions {
            guard let info = machine.model.streams[stream] else { continue }
            subscriber.setFrameKeys(frameKeys(of: info.connection))
        }
    }

    /// Reports frames that cannot be decrypted.
    func encryptionFailed(_ stream: StreamID, _ failure: EncryptionFailure) {
        guard let subscriber = subscriptions[stream] else { return }
        subscriber.hub.send(.encryptionFailed(failure))
        board.send(.encryptionFailed(stream, failure))
    }

    /// Has the relay stop sending video that cannot be decrypted, until another secret is set.
    func stopUndecryptableVideo(_ stream: StreamID) {
        guard let subscriber = subscriptions[stream], subscriber.suspendVideo() else { return }
        var preferences = subscriber.preferences
        preferences.video = false
        Task { [preferences] in
            try? await request(UpdateSubscriptionRequest(stream: stream, preferences: preferences))
        }
    }
}

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
        setEncryption(secret)
    }

    func setEncryption(_ secret: EncryptionSecret) {
        encryption = secret
        updateFrameKeys()
        // Video that was switched off because it could not be decrypted.
        for subscriber in subscriptions.values where subscriber.restoreVideo() {
            Task { [preferences = subscriber.preferences, stream = subscriber.stream] in
                try? await request(UpdateSubscriptionRequest(stream: stream, preferences: preferences))
            }
        }
    }

    /// Key of the frames that a connection publishes; nil before a secret is set or the session is joined.
    func frameKey(of connection: ConnectionID?) -> FrameKey? {
        guard let encryption, let session = machine.model.session, let connection,
            let bytes = try? encryption.baseKey(session: session.rawValue, connection: connection.rawValue)
        else { return nil }
        return FrameKey(bytes: bytes)
    }

    /// Derives the keys of all publications and subscriptions again: the secret, the session's id or a connection's id has changed.
    func updateFrameKeys() {
        let own = frameKey(of: machine.model.connection)
        for publication in publications { publication.publisher.setFrameKey(own) }
        for (stream, subscriber) in subscriptions {
            guard let info = machine.model.streams[stream] else { continue }
            subscriber.setFrameKey(frameKey(of: info.connection))
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

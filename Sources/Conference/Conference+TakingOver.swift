package import Signaling

extension Conference {
    /// A publisher without signalling asks for the name of a stream that another one still holds: a program that was killed and started again,
    /// long before the relay gives up the transport of the first. The user and its streams go on with the newcomer, so that subscriptions and
    /// mutes stay as they are. The caller ends the old transport, and prepares the stream's tracks again.
    ///
    /// Allowed with the token that the holder came with, and with a token that may remove users.
    /// - Parameter connection: holder of the name.
    /// - Returns: effects; else why the newcomer is refused, `streamExists` if it may not take the name over.
    package mutating func takeOver(
        _ connection: ConnectionID, by admission: Admission
    ) -> Result<[Effect], SignalingError> {
        do throws(SignalingError) {
            _ = try admit(admission)
            guard var participant = participants[connection], participant.info.kind == .publisher,
                Self.mayTakeOver(participant, admission)
            else {
                throw SignalingError(
                    .streamExists, "the session has a stream of this name; its own token can take it over",
                    field: "stream")
            }
            participant.token = admission.token
            participant.capabilities = admission.capabilities
            participant.isTrusted = admission.isTrusted
            let before = participant.info
            participant.info.identity = admission.identity
            participant.info.data = admission.data
            participants[connection] = participant
            if participant.info != before { tellUserChanged(connection) }
            return .success(takeEffects())
        } catch {
            return .failure(error)
        }
    }

    private static func mayTakeOver(_ holder: Participant, _ admission: Admission) -> Bool {
        if admission.capabilities.canForceDisconnect { return true }
        if let token = admission.token { return token == holder.token }
        // Static tokens have no fingerprint; clients without any token are not told from each other.
        return admission.isTrusted && holder.isTrusted
    }
}

package import Signaling

extension Conference {
    /// Moves a publisher without signalling to a new transport, when a new request asks for the name of a stream that
    /// is still held. Scenario: an encoder was killed and restarted before the relay gave up the first transport.
    /// Participant and streams stay, and so do their subscriptions and mutes. The caller closes the old transport and
    /// prepares the stream's tracks again.
    ///
    /// The new request needs the holder's token (static tokens count as one token), or a token that may remove users.
    /// - Parameter connection: current holder of the name.
    /// - Returns: effects, or the error of the refused request: `streamExists` if it may not take the name over.
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
        // Static tokens have no fingerprint. Clients without a token cannot be distinguished, so none of them may take
        // over.
        return admission.isTrusted && holder.isTrusted
    }
}

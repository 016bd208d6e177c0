public import Signaling

extension Session {
    // MARK: signals

    /// Sends to one connection or to everybody, oneself included. Returning means that it was valid and sent, not that it was
    /// received.
    /// - Parameters:
    ///   - type: at most 128 characters out of `A-Z a-z 0-9 - _ ~`.
    ///   - data: at most 8 KiB of UTF-8.
    ///   - connection: nil: everybody.
    ///   - retryAfterReconnect: while the connection is being restored the signal waits for it, at most
    ///     `SessionConfiguration.signalLimit` of them; false: it fails with `notConnected`.
    /// - Throws: `invalidSignalType`, `signalDataTooLong`, `unknownUser` for a connection that is not there; `limitReached` where too many
    ///   wait.
    public func signal(
        type: String, data: String = "", to connection: ConnectionID? = nil, retryAfterReconnect: Bool = true
    ) async throws(SessionError) {
        try await core.signal(
            SignalRequest(type: type, data: data, to: connection), retries: retryAfterReconnect)
    }

    // MARK: force mute

    /// Mutes the sound of every stream but those, one's own included; streams published later start muted.
    /// - Throws: `notPermitted` without the token's capability.
    public func forceMuteAll(excluding streams: [StreamID] = []) async throws(SessionError) {
        try await core.request(ForceMuteAllRequest(excluding: streams))
    }

    /// Mutes the sound of one stream.
    /// - Throws: `unknownStream`, `noTrack` for a stream without sound; `notPermitted` without the token's capability.
    public func forceMuteStream(_ stream: StreamID) async throws(SessionError) {
        try await core.request(ForceMuteStreamRequest(stream: stream))
    }

    /// Streams published later start unmuted again.
    /// - Throws: `notPermitted` without the token's capability.
    public func disableForceMute() async throws(SessionError) {
        try await core.request(DisableForceMuteRequest())
    }

    // MARK: users

    /// Gives a user another display name: oneself, or anybody for host and managers.
    /// - Parameter name: cut to 200 characters; an empty one becomes `null`.
    /// - Throws: `unknownUser`; `invalidField` for a name with control or bidirectional characters.
    public func rename(_ user: ConnectionID, to name: String) async throws(SessionError) {
        try await core.request(RenameRequest(user: user, name: name))
    }

    /// Mutes all streams of a user: one's own, or anybody's for host, managers and who may force mute. Only the user lifts it.
    /// - Throws: `unknownUser`.
    public func muteUser(_ user: ConnectionID, _ kind: TrackKind = .audio) async throws(SessionError) {
        try await core.request(MuteUserRequest(user: user, kind: kind))
    }

    /// Asks a user to unmute itself, or unmutes it at once if the relay's `mute.unmuteOthers` is `direct`; for host, managers and who may force
    /// mute.
    /// - Throws: `unknownUser`; `notPermitted` also for a publisher that has no client to ask.
    public func requestUnmute(_ user: ConnectionID, _ kind: TrackKind = .audio) async throws(SessionError) {
        try await core.request(RequestUnmuteRequest(user: user, kind: kind))
    }

    /// Hands the role of the host over; for the host.
    /// - Throws: `unknownUser`; `notPermitted` also for a publisher without a client, and for a user whose token does not allow the role if the
    ///   relay's `role.promotion` is `capable`.
    public func makeHost(_ user: ConnectionID) async throws(SessionError) {
        try await core.request(MakeHostRequest(user: user))
    }

    /// Makes a user a manager, or a participant again; for the host.
    /// - Throws: `unknownUser`; `notPermitted` for the host itself as well.
    public func setManager(_ user: ConnectionID, _ isManager: Bool = true) async throws(SessionError) {
        try await core.request(SetManagerRequest(user: user, isManager: isManager))
    }

    /// Disconnects a user, which cannot come back with the same token while the session lives; for host, managers and whose token
    /// allows it.
    /// - Throws: `unknownUser`; `notPermitted` for oneself and the host as well.
    public func removeUser(_ user: ConnectionID) async throws(SessionError) {
        try await core.request(RemoveUserRequest(user: user))
    }

    /// While it is locked only host and managers publish a screen; running ones of others stop. For host and managers.
    public func lockShare(_ isLocked: Bool = true) async throws(SessionError) {
        try await core.request(LockShareRequest(isLocked: isLocked))
    }
}

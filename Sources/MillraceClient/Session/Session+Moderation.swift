public import Signaling

extension Session {
    // MARK: signals

    /// Sends a signal to one connection, or to all connections including the local one. The call returns when the relay has accepted the
    /// signal, which does not mean that it was received.
    /// - Parameters:
    ///   - type: at most 128 characters out of `A-Z a-z 0-9 - _ ~`.
    ///   - data: at most 8 KiB of UTF-8.
    ///   - connection: recipient; nil for all connections.
    ///   - retryAfterReconnect: if true, a signal sent during a reconnection is queued until the connection is back; at most
    ///     `SessionConfiguration.signalLimit` signals are queued. If false, it fails with `notConnected`.
    /// - Throws: `invalidSignalType`; `signalDataTooLong`; `unknownUser` if the recipient is not in the session; `limitReached` if the
    ///   queue is full.
    public func signal(
        type: String, data: String = "", to connection: ConnectionID? = nil, retryAfterReconnect: Bool = true
    ) async throws(SessionError) {
        try await core.signal(
            SignalRequest(type: type, data: data, to: connection), retries: retryAfterReconnect)
    }

    // MARK: force mute

    /// Mutes the audio of all streams, including the local user's, except the listed ones. Streams published later start muted.
    /// - Throws: `notPermitted` if the token lacks the capability.
    public func forceMuteAll(excluding streams: [StreamID] = []) async throws(SessionError) {
        try await core.request(ForceMuteAllRequest(excluding: streams))
    }

    /// Mutes the audio of one stream.
    /// - Throws: `unknownStream`; `noTrack` if the stream has no audio; `notPermitted` if the token lacks the capability.
    public func forceMuteStream(_ stream: StreamID) async throws(SessionError) {
        try await core.request(ForceMuteStreamRequest(stream: stream))
    }

    /// Ends the force mute for streams published later: they start unmuted again.
    /// - Throws: `notPermitted` if the token lacks the capability.
    public func disableForceMute() async throws(SessionError) {
        try await core.request(DisableForceMuteRequest())
    }

    // MARK: users

    /// Changes a display name: a user may rename itself; the host and managers may rename any user.
    /// - Parameter name: cut to 200 characters; an empty name becomes `null`.
    /// - Throws: `unknownUser`; `invalidField` for a name with control or bidirectional characters.
    public func rename(_ user: ConnectionID, to name: String) async throws(SessionError) {
        try await core.request(RenameRequest(user: user, name: name))
    }

    /// Mutes all streams of a user. A user may mute itself; the host, managers and users whose token allows force mute may mute any user.
    /// Only the muted user can unmute the streams.
    /// - Throws: `unknownUser`.
    public func muteUser(_ user: ConnectionID, _ kind: TrackKind = .audio) async throws(SessionError) {
        try await core.request(MuteUserRequest(user: user, kind: kind))
    }

    /// Asks a user to unmute itself, or unmutes it at once if the relay's `mute.unmuteOthers` is `direct`. Requires the role of host or
    /// manager, or a token that allows force mute.
    /// - Throws: `unknownUser`; `notPermitted`, also if the user is a publisher without a signalling client.
    public func requestUnmute(_ user: ConnectionID, _ kind: TrackKind = .audio) async throws(SessionError) {
        try await core.request(RequestUnmuteRequest(user: user, kind: kind))
    }

    /// Transfers the role of host to a user; host only.
    /// - Throws: `unknownUser`; `notPermitted`, also if the user is a publisher without a signalling client, or if the relay's
    ///   `role.promotion` is `capable` and the user's token does not allow the role.
    public func makeHost(_ user: ConnectionID) async throws(SessionError) {
        try await core.request(MakeHostRequest(user: user))
    }

    /// Makes a user a manager, or a participant again; host only.
    /// - Throws: `unknownUser`; `notPermitted`, also for the host itself.
    public func setManager(_ user: ConnectionID, _ isManager: Bool = true) async throws(SessionError) {
        try await core.request(SetManagerRequest(user: user, isManager: isManager))
    }

    /// Disconnects a user, which cannot rejoin with the same token during this session. Requires the role of host or manager, or a token
    /// that allows it.
    /// - Throws: `unknownUser`; `notPermitted`, also for the local user and for the host.
    public func removeUser(_ user: ConnectionID) async throws(SessionError) {
        try await core.request(RemoveUserRequest(user: user))
    }

    /// Locks or unlocks screen sharing; host and managers only. While it is locked, only the host and managers can publish a screen, and
    /// the running screen streams of other users end.
    public func lockShare(_ isLocked: Bool = true) async throws(SessionError) {
        try await core.request(LockShareRequest(isLocked: isLocked))
    }
}

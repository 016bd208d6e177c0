public import Signaling

extension Session {
    // MARK: signals

    /// Sends to one connection or to everybody, oneself included. Returning means that it was valid and sent, not that it was received
    /// (SIG-2).
    /// - Parameters:
    ///   - type: at most 128 characters out of `A-Z a-z 0-9 - _ ~`.
    ///   - data: at most 8 KiB of UTF-8.
    ///   - connection: nil: everybody.
    ///   - retryAfterReconnect: while the connection is being restored the signal waits for it, at most
    ///     `SessionConfiguration.signalLimit` of them; false: it fails with `notConnected` (SIG-3).
    public func signal(
        type: String, data: String = "", to connection: ConnectionID? = nil, retryAfterReconnect: Bool = true
    ) async throws(SessionError) {
        try await core.signal(
            SignalRequest(type: type, data: data, to: connection), retries: retryAfterReconnect)
    }

    // MARK: force mute

    /// Mutes the sound of every stream but those, one's own included; streams published later start muted (MUT-1).
    public func forceMuteAll(excluding streams: [StreamID] = []) async throws(SessionError) {
        try await core.request(ForceMuteAllRequest(excluding: streams))
    }

    /// Mutes one stream (MUT-2).
    public func forceMuteStream(_ stream: StreamID) async throws(SessionError) {
        try await core.request(ForceMuteStreamRequest(stream: stream))
    }

    /// Streams published later start unmuted again.
    public func disableForceMute() async throws(SessionError) {
        try await core.request(DisableForceMuteRequest())
    }

    // MARK: users

    /// Gives a user another display name: oneself, or anybody for host and managers.
    public func rename(_ user: ConnectionID, to name: String) async throws(SessionError) {
        try await core.request(RenameRequest(user: user, name: name))
    }

    public func muteUser(_ user: ConnectionID, _ kind: TrackKind = .audio) async throws(SessionError) {
        try await core.request(MuteUserRequest(user: user, kind: kind))
    }

    /// Asks a user to unmute itself (USR-8).
    public func requestUnmute(_ user: ConnectionID, _ kind: TrackKind = .audio) async throws(SessionError) {
        try await core.request(RequestUnmuteRequest(user: user, kind: kind))
    }

    public func makeHost(_ user: ConnectionID) async throws(SessionError) {
        try await core.request(MakeHostRequest(user: user))
    }

    public func setManager(_ user: ConnectionID, _ isManager: Bool = true) async throws(SessionError) {
        try await core.request(SetManagerRequest(user: user, isManager: isManager))
    }

    /// Disconnects a user, which cannot come back with the same token while the session lives (USR-6).
    public func removeUser(_ user: ConnectionID) async throws(SessionError) {
        try await core.request(RemoveUserRequest(user: user))
    }

    /// While it is locked only host and managers publish a screen (USR-7).
    public func lockShare(_ isLocked: Bool = true) async throws(SessionError) {
        try await core.request(LockShareRequest(isLocked: isLocked))
    }
}

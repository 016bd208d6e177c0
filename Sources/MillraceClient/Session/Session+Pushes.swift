public import Signaling

extension Session {
    // MARK: pushes

    /// Streams that are pushed to other servers, by push; nil is the session's programme.
    public var pushes: [PushID: StreamID?] { board.snapshot.model.pushes }

    /// Pushes a stream, or the session's programme, to another server by WHIP (RFC 9725), until `stopPush` or the end of the stream or session;
    /// host only. The programme has the video of the active speaker or of a shared screen, and the mixed audio of all.
    /// `SessionEvent.liveStarted` reports that media reaches the server. The relay tries again until the push ends.
    ///
    /// ```swift
    /// let push = try await session.startPush(stream.id, to: "https://live.example/whip/1", token: key)
    /// ```
    /// - Parameters:
    ///   - stream: nil pushes the programme.
    ///   - url: an `https:` URL.
    ///   - token: bearer token for the server; nil for none.
    /// - Throws: `unknownStream`; `streamEncrypted`; `invalidField` if the URL or the token is not valid; `limitReached`; `notPermitted`.
    public func startPush(
        _ stream: StreamID?, to url: String, token: String? = nil
    ) async throws(SessionError) -> PushID {
        try await core.request(StartPushRequest(to: url, token: token, stream: stream)).id
    }

    /// Ends a push; host only.
    /// - Throws: `unknownLive`; `notPermitted`.
    public func stopPush(_ live: PushID) async throws(SessionError) {
        try await core.request(StopPushRequest(id: live))
    }
}

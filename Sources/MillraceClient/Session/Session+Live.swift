public import Signaling

extension Session {
    // MARK: live streams

    /// Streams that are pushed to other servers, by the ids of their live streams.
    public var liveStreams: [LiveID: StreamID] { board.snapshot.model.liveStreams }

    /// Pushes a stream to another server by WHIP (RFC 9725), until `stopLive` or the end of the stream; host only. `SessionEvent.liveStarted`
    /// reports that media reaches the server. The relay tries again for as long as the live stream is on.
    ///
    /// ```swift
    /// let live = try await session.startLive(stream.id, to: "https://live.example/whip/1", token: key)
    /// ```
    /// - Parameters:
    ///   - url: an `https:` URL.
    ///   - token: bearer token for the server; nil for none.
    /// - Throws: `unknownStream`; `streamEncrypted`; `invalidField` if the URL or the token is not valid; `limitReached`; `notPermitted`.
    public func startLive(
        _ stream: StreamID, to url: String, token: String? = nil
    ) async throws(SessionError) -> LiveID {
        try await core.request(StartLiveRequest(to: url, token: token, stream: stream)).id
    }

    /// Ends a live stream; host only.
    /// - Throws: `unknownLive`; `notPermitted`.
    public func stopLive(_ live: LiveID) async throws(SessionError) {
        try await core.request(StopLiveRequest(id: live))
    }
}

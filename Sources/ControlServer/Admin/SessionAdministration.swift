package import Conference
package import Signaling

/// Operations on live sessions for the admin API, the metrics and a drain.
///
/// A session, participant or stream that does not exist causes `unknownSession`, `unknownUser` or `unknownStream`.
package protocol SessionAdministration: Sendable {
    /// Returns live sessions in order of address, those after `after`, at most `limit`.
    ///
    /// - Parameter app: key of an app; nil: all apps.
    func sessions(app: String?, after: SessionKey?, limit: Int) async -> [SessionOverview]
    func session(_ address: SessionKey) async throws(SignalingError) -> SessionOverview
    /// Returns participants in the order in which they joined.
    func participants(of address: SessionKey) async throws(SignalingError) -> [UserInfo]
    /// Returns the relay's statistics of a participant's media.
    func statistics(of user: ConnectionID, in address: SessionKey) async throws(SignalingError) -> StatisticsAnswer
    /// Returns the quality of a participant's media over the last minutes.
    func quality(of user: ConnectionID, in address: SessionKey) async throws(SignalingError) -> QualityAnswer
    /// Returns streams in order of creation.
    func streams(of address: SessionKey) async throws(SignalingError) -> [StreamInfo]

    /// Creates a session that waits for its first join. An existing session stays unchanged.
    ///
    /// - Parameters:
    ///   - password: see SES-4; nil: none.
    ///   - requiresEncryption: whether every stream must be encrypted end to end.
    func create(_ address: SessionKey, password: String?, requiresEncryption: Bool) async throws(SignalingError)
        -> SessionOverview
    /// Carries out a command. Returns when the media engine has carried it out; throws the error if it could not.
    func order(_ command: AdminCommand, in address: SessionKey) async throws(SignalingError)

    /// Returns pushes in order of creation.
    func pushes(of address: SessionKey) async throws(SignalingError) -> [SessionPushAnswer]
    /// Starts a push.
    ///
    /// - Parameter allowsHTTP: allows an `http:` URL.
    func startPush(_ request: StartPushRequest, allowsHTTP: Bool, in address: SessionKey) async throws(SignalingError)
        -> PushID
    /// Ends a push; one that does not exist causes `unknownLive`.
    func stopPush(_ id: PushID, in address: SessionKey) async throws(SignalingError)

    /// Tells every client that the relay shuts down (CON-6). Returns when the message is in each client's queue.
    func announceDrain(seconds: Int, url: String?) async
    /// Tells every client that the relay exits now, and closes the connections.
    func endAll() async
    func gauges() async -> SessionGauges
}

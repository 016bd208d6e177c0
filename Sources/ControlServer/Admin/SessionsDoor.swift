package import Conference
package import Signaling

/// What the admin API, the metrics and a drain need of the live sessions.
///
/// What is not there throws `unknownSession`, `unknownUser` or `unknownStream`.
package protocol SessionsDoor: Sendable {
    /// Live sessions in order of address, those after `after`, at most `limit`.
    ///
    /// - Parameter app: nil: of all apps.
    func sessions(app: String?, after: SessionKey?, limit: Int) async -> [SessionOverview]
    func session(_ address: SessionKey) async throws(SignalingError) -> SessionOverview
    /// In order of joining.
    func participants(of address: SessionKey) async throws(SignalingError) -> [UserInfo]
    /// The relay's statistics of a user's media.
    func statistics(of user: ConnectionID, in address: SessionKey) async throws(SignalingError) -> StatisticsAnswer
    /// In order of creation.
    func streams(of address: SessionKey) async throws(SignalingError) -> [StreamInfo]

    /// Makes a session that waits for its first join. An existing one is left as it is.
    ///
    /// - Parameter password: as SES-4 has it; nil: none.
    func create(_ address: SessionKey, password: String?, requiresEncryption: Bool) async throws(SignalingError)
        -> SessionOverview
    /// Returns once the media engine has done what the order means; throws what it could not do.
    func order(_ command: AdminCommand, in address: SessionKey) async throws(SignalingError)

    /// Tells every client that the relay ends (CON-6). Returns once each has it in its queue.
    func announceDrain(seconds: Int, url: String?) async
    /// Tells every client that this is the end, and closes the connections.
    func endAll() async
    func gauges() async -> SessionGauges
}

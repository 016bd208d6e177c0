package import Signaling

/// What the admin API, the metrics and a drain need of the live sessions: the rooms, seen through a slit.
///
/// What is not there throws `unknownSession`, `unknownUser` or `unknownStream`.
package protocol SessionsDoor: Sendable {
    /// Live sessions in order of address, those after `after`, at most `limit`.
    ///
    /// - Parameter app: nil: of all apps.
    func sessions(app: String?, after: SessionAddress?, limit: Int) async -> [SessionOverview]
    func session(_ address: SessionAddress) async throws(SignalingError) -> SessionOverview
    /// In order of joining.
    func participants(of address: SessionAddress) async throws(SignalingError) -> [UserInfo]
    /// In order of creation.
    func streams(of address: SessionAddress) async throws(SignalingError) -> [StreamInfo]

    /// Makes a session that waits for its first join. An existing one is left as it is.
    ///
    /// - Parameter password: as SES-4 has it; nil: none.
    func create(_ address: SessionAddress, password: String?) async throws(SignalingError) -> SessionOverview
    /// Mutes a stream at the relay as a moderator does; false lifts it.
    func setMuted(
        _ isMuted: Bool, stream: StreamID, kind: TrackKind, in address: SessionAddress
    ) async throws(SignalingError)
    /// Mutes all streams of a user.
    func mute(user: ConnectionID, kind: TrackKind, in address: SessionAddress) async throws(SignalingError)
    /// Disconnects a user (USR-6).
    func remove(user: ConnectionID, in address: SessionAddress) async throws(SignalingError)
    func end(_ address: SessionAddress) async throws(SignalingError)

    /// Tells every client that the relay ends (CON-6). Returns once each has it in its queue.
    func announceDrain(seconds: Int, url: String?) async
    /// Tells every client that this is the end, and closes the connections.
    func endAll() async
    func gauges() async -> SessionGauges
}

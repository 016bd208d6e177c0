import Cluster
import ClusterLink
import Conference
import Logging
import MediaBase
package import Signaling

extension LiveSessions {
    /// Returns the session of a lost home relay from the store.
    ///
    /// - Returns: nil if the session is new.
    /// - Throws: `unavailable` if the store does not answer.
    func restored(_ id: SessionID, _ key: SessionKey) async throws(SignalingError) -> RestoredSession? {
        let loaded: (StoredSession, SessionTenure)?
        do throws(StoreFailure) {
            loaded = try await cluster?.load(id)
        } catch {
            throw Self.unavailable(.storeUnreachable, .seconds(1))
        }
        guard let (stored, tenure) = loaded, let text = stored.essence else { return nil }
        let essence: SessionEssence
        do {
            essence = try SavedText.decode(SessionEssence.self, from: text)
        } catch {
            log("the stored rules of the session cannot be read; it begins anew", key, error)
            return nil
        }
        let clients = stored.seats.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { client($0.value, key) }
        let conference = Conference(
            restoring: essence, seats: clients.map(\.saved.seat), id: id, app: key.app, name: key.name,
            limits: configuration.conference, now: ControlClock.now)
        environment.logger.notice(
            "session taken over", metadata: ["session": "\(key)", "clients": "\(clients.count)"])
        return RestoredSession(conference: conference, clients: clients, stored: stored, tenure: tenure)
    }

    /// Returns a client from its text. A client beyond the limits of its owner is not restored, and joins again.
    private func client(_ text: String, _ key: SessionKey) -> RestoredSession.Client? {
        do {
            let saved = try SavedText.decode(SavedClient.self, from: text)
            return RestoredSession.Client(
                saved: saved, lease: try resources.lease(.participants, for: saved.holder))
        } catch {
            log("a client of the session cannot be restored", key, error)
            return nil
        }
    }

    private func log(_ text: String, _ key: SessionKey, _ error: any Error) {
        environment.logger.error("\(text)", metadata: ["session": "\(key)", "error": "\(error)"])
    }

    /// Saves the state of a session again, because the store has lost its data.
    package func renewState(_ id: SessionID) async { await liveSession(id)?.turn { $0.renewState() } }
}

package import Cluster
import ClusterLink
import Conference
package import Signaling

/// Sessions of a relay in a cluster.
extension LiveSessions {
    /// Checks that the relay may run the rules of its sessions.
    /// - Throws: `unavailable` while the relay cannot confirm that it runs its sessions.
    func checkTenure() throws(SignalingError) {
        guard let cluster, !cluster.mayAct else { return }
        throw Self.unavailable(.unconfirmed, .seconds(1))
    }

    /// Ends the media that this relay has of the sessions of a relay that has lost its lease.
    package func homeLost(_ relay: RelayIdentity) { edgeMedia.end(home: relay) }

    /// Gives up a session that another relay runs now. Its clients lose their connections without an event, so that they resume, which leads
    /// them to the other relay.
    package func abandon(_ id: SessionID) async { await liveSession(id)?.turn { $0.abandon() } }
}

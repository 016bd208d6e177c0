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

    /// Keeps the media that this relay has of the sessions of a relay that has lost its lease, until their next home relays ask for it. It ends
    /// at once if one of the relays would not ask.
    package func homeLost(_ relay: RelayIdentity) {
        let relays = cluster?.status.relays ?? []
        let isKept = relays.allSatisfy { !$0.isAlive || $0.description.linkVersion >= ClusterEdge.mediaVersion }
        edgeMedia.lost(home: relay, isKept: isKept)
    }

    /// Gives up a session that another relay runs now. Its clients lose their connections without an event, so that they resume, which leads
    /// them to the other relay.
    package func abandon(_ id: SessionID) async { await liveSession(id)?.turn { $0.abandon() } }
}

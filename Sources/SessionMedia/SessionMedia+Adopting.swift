package import MediaBase
package import SDP
package import Signaling

/// Peer connections that the session's previous home relay had opened at other relays, and that continue after its loss. Their clients have not
/// resumed yet.
extension SessionMedia {
    /// Returns whether a client can have a further peer connection of the previous home relay.
    ///
    /// - Parameter streams: streams of a publish peer connection; nil: it subscribes.
    package func mayAdopt(_ peer: PeerID, of id: ConnectionID, streams: Set<StreamID>?) -> Bool {
        guard let member = members[id], member.visitor == nil, peers[peer] == nil, member.operation == nil,
            member.publishing == nil, member.waitingToPublish.isEmpty
        else { return false }
        guard let streams else { return member.subscriber == nil && member.formerSubscriber == nil }
        return member.publisher == nil && streams.allSatisfy { owners[$0] == nil }
    }

    /// Continues a publish peer connection for which `mayAdopt` is true, in the location of its client.
    ///
    /// - Parameter description: that of its last offer.
    package mutating func adoptPublisher(
        _ peer: PeerID, _ description: PeerDescription, _ streams: [StreamID: Set<MediaKind>], of id: ConnectionID
    ) {
        peers[peer] = id
        members[id]?.publisher = PublishPeer(id: peer, peer: description)
        members[id]?.hasPublished = true
        for (stream, kinds) in streams { own(stream, by: id, kinds: kinds) }
    }

    /// Continues a subscribe peer connection for which `mayAdopt` is true, in the location of its client, until the client resumes. Its offers and
    /// answers are not known here.
    package mutating func adoptSubscriber(_ peer: PeerID, of id: ConnectionID) {
        peers[peer] = id
        members[id]?.formerSubscriber = peer
    }
}

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

    /// Continues a subscribe peer connection for which `mayAdopt` is true, in the location of its client. Its offers wait until the client resumes.
    /// - Returns: false if the negotiation cannot be continued.
    package mutating func adoptSubscriber(
        _ peer: PeerID, _ saved: SavedNegotiation, of id: ConnectionID, now: MediaTime
    ) -> Bool {
        let subscriber = SubscribePeer(
            id: peer, continuing: saved, maximumSubscriptions: maximumSubscriptions, now: now)
        guard let subscriber else { return false }
        peers[peer] = id
        members[id]?.subscriber = subscriber
        members[id]?.subscribeTransport = subscriber.transport
        planOffer(of: id)
        makeReady(id)
        return true
    }

    /// Applies a change of a stream's tracks that the previous home relay may not have applied to an adopted subscription.
    package mutating func mendSubscription(
        _ id: ConnectionID, _ stream: StreamID, _ preferences: SubscriptionPreferences
    ) {
        guard let kinds = kinds[stream], let known = members[id]?.subscriber?.negotiation.kinds(of: stream.rawValue),
            known != kinds
        else { return }
        queue(.change(preferences), stream, of: id)
    }

    /// Returns whether a client that resumes after a take-over continues its subscribe peer connection: both sides have the same offer.
    ///
    /// - Parameter revision: number of the newest offer that the client has received; nil: it has no peer connection, or does not continue any.
    package func continuesSubscriber(of id: ConnectionID, at revision: Int?) -> Bool {
        guard let revision, let negotiation = members[id]?.subscriber?.negotiation else { return false }
        // An open offer is sent again, and the client answers it or repeats its answer.
        return revision == negotiation.revision || negotiation.openOffer != nil && revision == negotiation.revision - 1
    }

    /// Lets the relay make offers to a client that has resumed, and repeats an open one.
    package mutating func releaseSubscriber(of id: ConnectionID) {
        guard let negotiation = members[id]?.subscriber?.negotiation else { return }
        members[id]?.subscriber?.isHeld = false
        if let offer = negotiation.openOffer { outputs.append(.offer(id, OfferMade(offer))) }
        makeReady(id)
    }

    /// Continues a subscribe peer connection for which `mayAdopt` is true, in the location of its client, until the client resumes. Its offers and
    /// answers are not known here.
    package mutating func adoptSubscriber(_ peer: PeerID, of id: ConnectionID) {
        peers[peer] = id
        members[id]?.formerSubscriber = peer
    }
}

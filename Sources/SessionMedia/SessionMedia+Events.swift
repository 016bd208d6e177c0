import Conference
package import Signaling

/// Events of the media plane about peers. Those about a peer with a publish request in progress wait for its outcome.
extension SessionMedia {
    /// Returns the peer that feeds the stream now. Its publisher may have connected again on another one.
    package func publisher(of stream: StreamID) -> PeerID? { owners[stream].flatMap { publisher(of: $0) } }

    /// Handles the first media of a stream.
    package mutating func began(_ stream: StreamID, by peer: PeerID) {
        guard !hold(.began(stream, peer), of: peer) else { return }
        guard publisher(of: stream) == peer, let owner = owners[stream], let kinds = kinds[stream] else { return }
        outputs.append(
            .handle(.published(owner, stream, hasAudio: kinds.contains(.audio), hasVideo: kinds.contains(.video))))
    }

    /// Handles the end of a stream.
    package mutating func closed(_ stream: StreamID, by peer: PeerID) {
        guard !hold(.closed(stream, peer), of: peer) else { return }
        guard publisher(of: stream) == peer, let owner = owners[stream] else { return }
        if members[owner]?.visitor != nil {
            endVisitor(peer, .left)
        } else {
            outputs.append(.handle(.unpublished(stream, .reset)))
        }
    }

    /// Handles the end of a peer.
    package mutating func gone(_ peer: PeerID) {
        guard let id = peers[peer] else {
            // The answer that introduces the peer may follow.
            if isOpeningPeers { goneEarly.insert(peer) }
            return
        }
        guard !hold(.gone(peer), of: peer) else { return }
        if visitingSubscribers[id] != nil || members[id]?.visitor != nil {
            endVisitor(peer, .networkLost)
        } else if members[id]?.publisher?.id == peer {
            forget(peer)
            outputs.append(.handle(.reset(id, publish: true, subscribe: false)))
        } else if members[id]?.formerSubscriber == peer {
            forget(peer)
        } else {
            resetSubscriber(of: id)
        }
    }

    private mutating func hold(_ event: Publishing.Event, of peer: PeerID) -> Bool {
        guard let id = peers[peer], let member = members[id], member.publisher?.id == peer, member.publishing != nil
        else { return false }
        // Repeated events add nothing, so the list is bounded by the streams of the client.
        if member.publishing?.held.contains(event) == false { members[id]?.publishing?.held.append(event) }
        return true
    }
}

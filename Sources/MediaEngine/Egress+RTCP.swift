import Forwarding
import MediaBase
import Transport

/// RTCP to publishers and subscribers.
extension Egress {
    /// Sends RTCP to the publisher of a producer. A publisher whose address or keys are unknown gets none.
    func sendRTCP(
        _ bytes: [UInt8], to producer: Producer, of transport: PublishTransport, _ peers: borrowing PeerTable,
        _ inbound: borrowing InboundTable
    ) {
        guard transport.isPlain else {
            if let peer = peers[transport.id] { sendRTCP(bytes, to: peer) }
            return
        }
        guard producer.tag >= 0, let address = inbound[producer.tag].pointee.reportAddress(isShared: transport.rtcpMux)
        else { return }
        sendRTCP(bytes, transport.egressContext, to: PeerAddress(address), transport.rtcpMux ? .rtp : .rtcp)
    }

    /// Sends RTCP to the receiver of a track.
    func sendRTCP(
        _ bytes: [UInt8], to track: SubscribedTrack, of transport: SubscribeTransport, _ peers: borrowing PeerTable
    ) {
        guard transport.isPlain else {
            if let peer = peers[transport.id] { sendRTCP(bytes, to: peer) }
            return
        }
        sendRTCP(bytes, transport.egressContext, to: PeerAddress(track.rtcpAddress), transport.rtcpMux ? .rtp : .rtcp)
    }

    /// Sends RTCP to a peer. A peer that has not connected has no keys yet and gets none.
    func sendRTCP(_ bytes: [UInt8], to peer: WebRTCPeer) {
        guard let egressContext = peer.egressContext, let address = peer.address else { return }
        sendRTCP(bytes, egressContext, to: address, .webRTC)
    }
}

internal import Forwarding
internal import MediaBase

extension Worker {
    func allocate(_ outbound: PeerOutbound, now: MediaTime) {}
}

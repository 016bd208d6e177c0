import MediaEngine
import SessionMedia
import Signaling

extension OpenedMedia {
    /// Notes an event of the engine that changes the inventory.
    mutating func note(_ event: StreamEvent) {
        switch event {
        case .peerGone(_, let transport): remove(PeerID(transport))
        case .unsupportedCodec(_, let transport, let name, _):
            note(StreamID(rawValue: name), isSupported: false, by: PeerID(transport))
        case .supportedCodec(_, let transport, let name):
            note(StreamID(rawValue: name), isSupported: true, by: PeerID(transport))
        default: break
        }
    }
}

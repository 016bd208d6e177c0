import MediaEngine
import SessionMedia

extension MediaInventory {
    /// Closes everything in the engine that has it, without waiting.
    func close(in engine: any MediaPlane, session: String) {
        for peer in peers {
            let id = TransportID(peer.id)
            _ =
                peer.isPlain
                ? engine.beginClosePlain(id, session: session) : engine.beginCloseWebRTC(id, session: session)
        }
        for pipe in receivers.map(\.end.id) + senders.map(\.end.id) {
            Task { try? await engine.closePipe(pipe, session: session) }
        }
    }
}

import NIOWebSocket
import Signaling

/// The relay's end, as those hear of it who are logged in and in no session (CON-6): a session tells its own.
extension MessageHub {
    /// Tells them that the relay ends.
    ///
    /// - Parameters:
    ///   - seconds: until then at the most.
    ///   - url: where to go; nil: to the same address, once the relay is back.
    package func announceDrain(seconds: Int, url: String?) {
        tell(beginDraining(), .draining(Draining(seconds: seconds, url: url)))
    }

    /// Tells them that this is the end, and closes the connections. What was answered until now goes first.
    package func endAll() async {
        await handedOver()
        let reason = DisconnectReason.relayShutdown
        let sockets = beginDraining()
        tell(sockets, .disconnected(Disconnected(reason: reason)))
        for socket in sockets { socket.close(reason.closeCode, reason.rawValue) }
    }

    private func tell(_ sockets: [ClientSocket], _ event: Event) {
        guard !sockets.isEmpty, let text = EventText(event)?.message(0) else { return }
        for socket in sockets { socket.send([text]) }
        statistics.messagesSent(sockets.count)
    }
}

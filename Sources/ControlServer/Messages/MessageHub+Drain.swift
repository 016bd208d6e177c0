import NIOWebSocket
import Signaling

/// Shutdown of the relay for sockets that are logged in but not in a session (CON-6). Sessions tell their own sockets.
extension MessageHub {
    /// Tells these sockets that the relay shuts down.
    ///
    /// - Parameters:
    ///   - seconds: maximum time until the relay exits.
    ///   - url: URL to connect to; nil: the same address, once the relay has restarted.
    package func announceDrain(seconds: Int, url: String?) {
        tell(beginDraining(), .draining(Draining(seconds: seconds, url: url)))
    }

    /// Tells these sockets that the relay exits now, and closes them. Earlier answers are sent first.
    package func endAll() async {
        await handedOver()
        let reason = DisconnectReason.relayShutdown
        let sockets = beginDraining()
        tell(sockets, .disconnected(Disconnected(reason: reason)))
        for socket in sockets { socket.close(reason.closeCode, reason.rawValue) }
    }

    private func tell(_ sockets: [any ClientChannel], _ event: Event) {
        guard !sockets.isEmpty, let text = EventText(event)?.message(0) else { return }
        for socket in sockets { socket.send([text]) }
        statistics.messagesSent(sockets.count)
    }
}

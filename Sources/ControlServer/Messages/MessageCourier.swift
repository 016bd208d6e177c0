import Logging
import Messaging
import NIOCore
import NIOWebSocket
import Signaling

/// Passes conversation events to sockets. A socket that does not read is closed; delivery never waits for it.
struct MessageCourier: Sendable {
    let configuration: MessageHubConfiguration
    let statistics: ControlStatistics
    let logger: Logger

    /// - Returns: number of events passed on, and sockets that were closed instead.
    func deliver(
        _ delivery: MessageDelivery, to sockets: [any ClientChannel], origin: (any ClientChannel)?
    ) -> (events: Int, slow: [any ClientChannel]) {
        let sockets = delivery.sparesOrigin ? sockets.filter { $0 !== origin } : sockets
        guard !sockets.isEmpty else { return (0, []) }
        // Encoded once for all receivers.
        guard let text = EventText(.messaging(delivery.event))?.message(0) else {
            statistics.refused(.internalError)
            logger.error("cannot encode a conversation event")
            return (0, [])
        }
        var slow: [any ClientChannel] = []
        for socket in sockets {
            let backlog = socket.backlog
            guard backlog.messages < configuration.unsentEvents, backlog.bytes < configuration.unsentBytes else {
                slow.append(socket)
                logger.notice("client does not read its messages", metadata: ["address": "\(socket.address)"])
                socket.close(.policyViolation, DisconnectReason.slowConsumer.rawValue)
                continue
            }
            socket.send([text])
        }
        statistics.messagesSent(sockets.count - slow.count)
        return (sockets.count - slow.count, slow)
    }
}

import Logging
import NIOCore
import NIOWebSocket
import Signaling

/// Handler of `GET /v1/connect`: serves one WebSocket from its first message to its end.
struct ConnectHandler: Sendable {
    let liveSessions: LiveSessions
    let messages: MessageHub
    let unjoined: UnjoinedSockets
    let statistics: ControlStatistics
    let isTLS: Bool
    let logger: Logger

    func handle(
        _ channel: NIOAsyncChannel<SocketInput, SocketOutput>, _ handshake: ConnectHandshake
    ) async {
        let socket = ClientSocket(
            channel: channel.channel, isTLS: isTLS, trustsLoopback: liveSessions.configuration.takesKeysOnLoopback)
        // Closes a connection that does not join in time.
        let alarm = channel.channel.eventLoop.scheduleTask(in: TimeAmount(liveSessions.configuration.joinTime)) {
            socket.close(.policyViolation, "the client joined no session in time")
        }
        var session = ClientSession(
            liveSessions: liveSessions, messages: messages, socket: socket, token: handshake.token,
            statistics: statistics,
            onJoin: {
                alarm.cancel()
                unjoined.leave(channel.channel)
            })
        var ending = ClientSession.Ending.lost
        do {
            try await channel.executeThenClose { inbound, _ in
                for try await input in inbound {
                    // After the end, the close handshake continues; other input is ignored.
                    if session.isOver { continue }
                    switch input {
                    case .text(let text):
                        if await session.receive(text) { continue }
                        ending = .refused
                    case .closed(let code): ending = .closed(code)
                    case .violated(let code, let reason):
                        logger.info("WebSocket closed", metadata: ["code": "\(code)", "reason": "\(reason)"])
                        ending = .violated
                    }
                    await session.end(ending)
                }
            }
        } catch {
            logger.debug("WebSocket failed", metadata: ["error": "\(error)"])
        }
        alarm.cancel()
        session.logOut()
        await session.end(ending)
    }
}

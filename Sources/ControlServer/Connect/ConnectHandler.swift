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
    /// Nil without a cluster.
    var edge: ClusterEdge?
    /// Whether the clients are those of other relays of the cluster.
    var isLink = false
    let logger: Logger

    func handle(
        _ channel: NIOAsyncChannel<SocketInput, SocketOutput>, _ handshake: ConnectHandshake
    ) async {
        let socket = ClientSocket(
            channel: channel.channel, isTLS: isTLS, trustsLoopback: liveSessions.configuration.takesKeysOnLoopback,
            proxied: isLink ? handshake.proxied : nil, relay: isLink ? handshake.relay : nil)
        if isLink, let target = handshake.target, await edge?.isElsewhere(target) == true {
            socket.close(ProxiedSocket.misdirected, ErrorCode.misdirected.rawValue)
        }
        // Closes a connection that does not join in time.
        let alarm = channel.channel.eventLoop.scheduleTask(in: TimeAmount(liveSessions.configuration.joinTime)) {
            socket.close(.policyViolation, "the client joined no session in time")
        }
        var session = ClientSession(
            liveSessions: liveSessions, messages: messages, socket: socket, token: handshake.token,
            statistics: statistics, edge: isLink ? nil : edge,
            onJoin: {
                alarm.cancel()
                unjoined.leave(channel.channel)
            })
        var proxied: ProxiedSocket?
        var ending = ClientSession.Ending.lost
        do {
            try await channel.executeThenClose { inbound, _ in
                for try await input in inbound {
                    // After the end, the close handshake continues; other input is ignored.
                    if session.isOver { continue }
                    switch input {
                    case .text(let text):
                        if let proxied {
                            await proxied.send(text)
                            continue
                        }
                        if await session.receive(text) {
                            proxied = await transfer(&session, handshake, socket)
                            continue
                        }
                        ending = .refused
                    case .closed(let code):
                        proxied?.close(code)
                        ending = .closed(code)
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
        proxied?.cut()
        session.logOut()
        await session.end(ending)
    }

    /// Proxies a client to the home relay of its session, if its join or resume asked for that.
    ///
    /// - Returns: nil if the client stays here.
    private func transfer(
        _ session: inout ClientSession, _ handshake: ConnectHandshake, _ socket: ClientSocket
    ) async -> ProxiedSocket? {
        for _ in 0..<ClusterEdge.attempts {
            guard let edge, let transfer = session.transfer else { return nil }
            session.transfer = nil
            if let proxied = await edge.proxy(transfer, handshake, socket) {
                session.onJoin()
                return proxied
            }
            // The home relay has changed, or does not answer.
            _ = await session.receive(transfer.text)
        }
        if let transfer = session.transfer { session.refuse(transfer) }
        return nil
    }
}

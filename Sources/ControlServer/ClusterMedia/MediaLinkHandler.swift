import Logging
import NIOCore

/// Handler of `/cluster/media` on the listener of links: serves the home relay of a session, for the media that this relay has of it.
struct MediaLinkHandler: Sendable {
    let liveSessions: LiveSessions
    let logger: Logger

    func handle(
        _ channel: NIOAsyncChannel<SocketInput, SocketOutput>, _ handshake: MediaLinkHandshake
    ) async {
        let session = liveSessions.engineName(of: handshake.key)
        let media = EdgeMedia(
            session: session, handshake, engine: liveSessions.environment.engine, logger: logger)
        guard liveSessions.edgeMedia.enter(media, session: session) else {
            return await refuse(channel, "a later home relay has a link")
        }
        // Checked after the entry, because this relay may take the session over at any moment.
        guard liveSessions.liveSession(handshake.key) == nil else {
            liveSessions.edgeMedia.leave(media, session: session)
            media.end()
            return await refuse(channel, "this relay runs the session")
        }
        try? await channel.executeThenClose { inbound, outbound in
            // The end of a connection takes time.
            if case .closed = await media.run(inbound, outbound) { media.linkClosed() }
        }
        await media.keep()
        media.end()
        liveSessions.edgeMedia.leave(media, session: session)
    }

    private func refuse(_ channel: NIOAsyncChannel<SocketInput, SocketOutput>, _ reason: String) async {
        try? await channel.executeThenClose { _, outbound in
            try await outbound.write(.close(ProxiedSocket.misdirected, reason))
        }
    }
}

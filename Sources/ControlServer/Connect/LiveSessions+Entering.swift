import MediaBase
import MediaEngine
import Signaling

/// The sequence by which a publisher or subscriber without a control connection (WHIP, WHEP, plain) enters a session: the rules admit it, the
/// engine opens its transport, and the session takes the transport over.
extension LiveSessions {
    /// - Parameters:
    ///   - stream: name of the stream; nil: a random one.
    ///   - open: opens the transport for a stream of this name.
    func publish<Answer: Sendable>(
        _ visitor: Visitor, stream: StreamName?, kinds: Set<MediaKind>, isPlain: Bool,
        open: (String) async throws -> OpenedTransport<Answer>
    ) async throws -> Answer {
        let ticket = try await admitPublisher(visitor, stream: stream, kinds: kinds, isPlain: isPlain)
        do {
            let transport = try await open(ticket.stream)
            try await ticket.liveSession.opened(
                ticket, transport.id, codec: transport.codec, kinds: transport.kinds)
            return transport.answer
        } catch {
            await ticket.liveSession.refused(ticket)
            throw error
        }
    }

    /// - Parameter close: closes the transport if a session that began after the call refuses the subscriber.
    func view<Answer: Sendable>(
        _ visitor: Visitor, isPlain: Bool, open: () async throws -> OpenedTransport<Answer>,
        close: (TransportID) async throws -> Void
    ) async throws -> Answer {
        var ticket = try await admitViewer(visitor)
        let transport: OpenedTransport<Answer>
        do {
            transport = try await open()
        } catch {
            await ticket?.leave()
            throw error
        }
        do {
            // The session may have begun while the engine was awaited.
            if ticket == nil { ticket = try await admitViewer(visitor) }
        } catch {
            try? await close(transport.id)
            throw error
        }
        if let ticket { try await ticket.liveSession.viewing(ticket, transport.id, isPlain: isPlain) }
        return transport.answer
    }
}

import Cluster
import Foundation
import Logging
import MediaEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOFoundationCompat
import NIOWebSocket
import ServiceLifecycle
import SessionMedia

/// Media that this relay has of a session whose rules another relay runs: carries out that relay's calls in the engine, and reports the engine's
/// events to it. What the calls have opened ends with the link, except if the home relay has died: then it stays until another relay can take the
/// session over (`EdgeMediaTable.end(home:)`).
final class EdgeMedia: Sendable {
    private enum Item: Sendable {
        case reply(MediaLinkReply)
        /// Events are in the inbox.
        case events
    }

    private struct State {
        var peers: Set<PeerID> = []
        var plainTransports: Set<PeerID> = []
        var pipes: Set<TransportID> = []
        /// Number of calls under way and of replies that are not sent.
        var pending = 0
        var isOver = false
    }

    enum Ending {
        /// The home relay has closed the link, or is silent: it may believe that the media has ended.
        case closed
        /// The home relay's process has ended without closing the link.
        case homeDied
    }

    /// Maximum time for which media stays after the death of the home relay, if the cluster's database does not report the death.
    static let keepTime = Duration.seconds(15)
    /// Time between two checks whether the home relay still sends. After four silent ones the link is closed, before the home relay takes this
    /// relay for lost (`ClusterMedia.callTime`).
    static let pingInterval = Duration.milliseconds(1_500)
    /// Maximum number of calls that the home relay may have under way.
    static let maximumCalls = 32_768

    let home: RelayIdentity
    let term: MediaLinkTerm
    private let session: String
    private let engine: any MediaPlane
    private let logger: Logger
    private let inbox = LiveSessionInbox()
    private let items: AsyncStream<Item>
    private let queue: AsyncStream<Item>.Continuation
    private let state = NIOLockedValueBox(State())
    /// Finishes when the media is over.
    private let ended = AsyncStream<Void>.makeStream()

    /// - Parameter session: name of the session in the engine.
    init(session: String, _ handshake: MediaLinkHandshake, engine: any MediaPlane, logger: Logger) {
        self.session = session
        home = handshake.home
        term = handshake.term
        self.engine = engine
        self.logger = logger
        (items, queue) = AsyncStream.makeStream()
    }

    /// Serves the link until it ends.
    func run(
        _ inbound: NIOAsyncChannelInboundStream<SocketInput>, _ outbound: NIOAsyncChannelOutboundWriter<SocketOutput>
    ) async -> Ending {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                do {
                    for await item in items { try await send(item, outbound) }
                    try await outbound.write(.close(ProxiedSocket.misdirected, "another relay runs the session"))
                } catch {
                    // The link is broken, so its input ends as well.
                    logger.debug("media link failed", metadata: ["error": "\(error)"])
                }
            }
            defer { group.cancelAll() }
            do {
                for try await input in inbound {
                    guard case .text(let text) = input, receive(text) else { return .closed }
                }
            } catch {
                logger.debug("media link failed", metadata: ["error": "\(error)"])
            }
            return .homeDied
        }
    }

    private func send(_ item: Item, _ outbound: NIOAsyncChannelOutboundWriter<SocketOutput>) async throws {
        switch item {
        case .reply(let reply):
            try await outbound.write(.text(Self.text(reply)))
            state.withLockedValue { $0.pending -= 1 }
        case .events:
            while let event = inbox.take() { try await outbound.write(.text(Self.text(.event(event)))) }
        }
    }

    private static func text(_ reply: MediaLinkReply) -> ByteBuffer {
        let data = try? JSONEncoder().encode(reply)
        // The other relay takes an unreadable answer for a failure.
        return ByteBuffer(data: data ?? Data(#"{"id":\#(reply.id?.rawValue ?? 0)}"#.utf8))
    }

    /// Queues an event of the engine without blocking.
    func post(_ event: StreamEvent) {
        // The home relay knows what is mirrored.
        if case .mirrored = event { return }
        if case .peerGone(_, let transport) = event {
            state.withLockedValue { _ = $0.peers.remove(PeerID(transport)) }
        }
        if inbox.post(event).isNews { queue.yield(.events) }
    }

    /// Keeps the media after the death of the home relay, for a limited time. Returns when it is over, or this relay stops.
    func keep() async {
        guard state.withLockedValue({ !$0.isOver }) else { return }
        logger.notice("home relay lost", metadata: ["session": "\(session)"])
        await cancelWhenGracefulShutdown { [ended] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await Task.sleep(for: Self.keepTime) }
                group.addTask { for await _ in ended.stream {} }
                await group.next()
                group.cancelAll()
            }
        }
    }

    // MARK: calls

    /// - Returns: false if the link must end.
    private func receive(_ text: ByteBuffer) -> Bool {
        let data = Data(buffer: text)
        let isAccepted = state.withLockedValue { state in
            guard !state.isOver, state.pending < Self.maximumCalls else { return false }
            state.pending += 1
            return true
        }
        guard isAccepted else { return false }
        do {
            let request = try JSONDecoder().decode(MediaLinkRequest.self, from: data)
            carryOut(request)
        } catch {
            guard let request = try? JSONDecoder().decode(MediaLinkRequest.Unread.self, from: data) else {
                return false
            }
            logger.notice("cannot read a media call of another relay", metadata: ["error": "\(error)"])
            queue.yield(
                .reply(.failed(request.id, .invalidRequest(field: "call", reason: "this relay does not know it"))))
        }
        return true
    }

    private func carryOut(_ request: MediaLinkRequest) {
        if let begun = engine.begin(request.call, session: session) {
            if case .order(.closePeer(let peer, _)) = request.call {
                state.withLockedValue { state in
                    state.peers.remove(peer)
                    state.plainTransports.remove(peer)
                }
            }
            return reply(to: request.id) { () async throws(EngineError) in
                try await begun.finish()
                return .media(.done)
            }
        }
        if case .closePipe(let pipe) = request.call { state.withLockedValue { _ = $0.pipes.remove(pipe) } }
        reply(to: request.id) { [engine, session] () async throws(EngineError) in
            try await engine.carryOut(request.call, session: session)
        }
    }

    private func reply(
        to id: MediaCallID, _ call: @escaping @Sendable () async throws(EngineError) -> MediaCallAnswer
    ) {
        Task {
            do throws(EngineError) {
                let answer = try await call()
                note(answer)
                queue.yield(.reply(.answered(id, answer)))
            } catch {
                queue.yield(.reply(.failed(id, error)))
            }
        }
    }

    /// Notes what a call has opened. Closes it if the link has ended in the meantime.
    private func note(_ answer: MediaCallAnswer) {
        let isOver = state.withLockedValue { state in
            switch answer {
            case .media(let answer): if let peer = answer.peer { state.peers.insert(peer) }
            case .opened(let answer): state.peers.insert(PeerID(answer.id))
            case .openedPlain(let transport): state.plainTransports.insert(PeerID(transport.id))
            case .pipe(let end): state.pipes.insert(end.id)
            default: break
            }
            return state.isOver
        }
        if isOver { closeAll() }
    }

    /// Closes what the calls have opened, and the link.
    func end() {
        let isFirst = state.withLockedValue { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        queue.finish()
        ended.continuation.finish()
        closeAll()
    }

    private func closeAll() {
        let (peers, plainTransports, pipes) = state.withLockedValue { state in
            defer { (state.peers, state.plainTransports, state.pipes) = ([], [], []) }
            return (state.peers, state.plainTransports, state.pipes)
        }
        for peer in peers { _ = engine.beginCloseWebRTC(TransportID(peer), session: session) }
        for peer in plainTransports { _ = engine.beginClosePlain(TransportID(peer), session: session) }
        for pipe in pipes {
            Task { [engine, session] in try? await engine.closePipe(pipe, session: session) }
        }
    }
}

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
/// events to it. The media that the calls have opened ends with the link, except if the home relay has died or lost its lease: then it stays for a limited
/// time, in which the next home relay can continue it.
final class EdgeMedia: Sendable {
    private enum Item: Sendable {
        case reply(MediaLinkReply)
        /// Events are in the inbox.
        case events
    }

    private struct State {
        var opened: OpenedMedia
        /// Whether `opened` is what the previous home relay had opened, and the present one has not asked for it.
        var isInherited = false
        /// Number of calls under way and of replies that are not sent.
        var pending = 0
        /// Whether the home relay's calls are refused: the media only waits for the next home relay.
        var isDetached = false
        /// Whether the media has ended, or belongs to the next home relay.
        var isOver = false
    }

    enum Ending {
        /// The home relay has closed the link, or is silent: it may believe that the media has ended.
        case closed
        /// The home relay's process has ended without closing the link.
        case homeDied
    }

    /// Maximum time for which media stays after the death of the home relay.
    static let keepTime = Duration.seconds(15)
    /// Maximum time for which media stays after the lease of its home relay has ended. Clients resume within this time, which makes another
    /// relay take the session over.
    static let takeOverTime = Duration.seconds(6)
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
    private let state: NIOLockedValueBox<State>
    /// Finishes when the media is over.
    private let ended = AsyncStream<Void>.makeStream()

    /// - Parameter session: name of the session in the engine.
    init(session: String, _ handshake: MediaLinkHandshake, engine: any MediaPlane, logger: Logger) {
        self.session = session
        state = NIOLockedValueBox(State(opened: OpenedMedia()))
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
        state.withLockedValue { $0.opened.note(event) }
        if inbox.post(event).isNews { queue.yield(.events) }
    }

    // MARK: loss of the home relay

    /// Ends the media if the home relay has closed the link in order.
    func linkClosed() {
        if state.withLockedValue({ !$0.isDetached }) { end() }
    }

    /// Keeps the media after the death of the home relay, for a limited time. Returns when it is over, or this relay stops.
    func keep() async {
        let isKept = state.withLockedValue { state in
            state.isDetached = true
            return !state.isOver
        }
        guard isKept else { return }
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

    /// Handles the end of the home relay's lease: other relays can run the session. The home relay's calls are refused from now on, and the media
    /// stays until the next home relay opens its link.
    func leaseEnded() {
        state.withLockedValue { $0.isDetached = true }
        queue.finish()
        Task { [weak self] in
            try? await Task.sleep(for: Self.takeOverTime)
            self?.end()
        }
    }

    /// Gives the media to the next home relay: nothing of it ends with this link.
    /// - Returns: nil if it has ended.
    func handOver() -> OpenedMedia? {
        let opened = state.withLockedValue { state -> OpenedMedia? in
            guard !state.isOver else { return nil }
            state.isOver = true
            defer { state.opened = OpenedMedia() }
            return state.opened
        }
        if opened != nil {
            queue.finish()
            ended.continuation.finish()
        }
        return opened
    }

    /// Takes what the previous home relay has opened. Called before the first call of this one.
    func inherit(_ opened: OpenedMedia) {
        state.withLockedValue { state in
            state.opened = opened
            state.isInherited = true
        }
    }

    /// Handles the first call of a home relay. One that does not ask for the inventory does not continue the media, so that all of it ends.
    private func settleInheritance(_ call: MediaCall?) {
        let refused = state.withLockedValue { state -> OpenedMedia? in
            guard state.isInherited else { return nil }
            state.isInherited = false
            if case .inventory? = call { return nil }
            defer { state.opened = OpenedMedia() }
            return state.opened
        }
        if let refused { close(refused) }
    }

    // MARK: calls

    /// - Returns: false if the link must end.
    private func receive(_ text: ByteBuffer) -> Bool {
        let data = Data(buffer: text)
        let isAccepted = state.withLockedValue { state in
            guard !state.isOver, !state.isDetached, state.pending < Self.maximumCalls else { return false }
            state.pending += 1
            return true
        }
        guard isAccepted else { return false }
        do {
            let request = try JSONDecoder().decode(MediaLinkRequest.self, from: data)
            settleInheritance(request.call)
            carryOut(request)
        } catch {
            settleInheritance(nil)
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
        if case .inventory = request.call {
            let inventory = state.withLockedValue { $0.opened.inventory }
            queue.yield(.reply(.answered(request.id, .inventory(inventory))))
            return
        }
        let isNoted = state.withLockedValue { state in
            // The next home relay may have got the media since the call arrived. It does not know of a call that is not noted.
            guard !state.isOver, !state.isDetached else { return false }
            state.opened.begin(request.call)
            return true
        }
        guard isNoted else { return }
        if case .negotiated = request.call {
            queue.yield(.reply(.answered(request.id, .done)))
            return
        }
        if let begun = engine.begin(request.call, session: session) {
            return reply(to: request) { () async throws(EngineError) in
                try await begun.finish()
                return .media(.done)
            }
        }
        reply(to: request) { [engine, session] () async throws(EngineError) in
            try await engine.carryOut(request.call, session: session)
        }
    }

    private func reply(
        to request: MediaLinkRequest, _ call: @escaping @Sendable () async throws(EngineError) -> MediaCallAnswer
    ) {
        Task {
            do throws(EngineError) {
                let answer = try await call()
                note(request.call, answer)
                queue.yield(.reply(.answered(request.id, answer)))
            } catch {
                queue.yield(.reply(.failed(request.id, error)))
            }
        }
    }

    /// Notes what a call has opened. Closes it if the link has ended in the meantime: the next home relay does not know of it.
    private func note(_ call: MediaCall, _ answer: MediaCallAnswer) {
        let late = state.withLockedValue { state -> OpenedMedia? in
            state.opened.finish(call, answer)
            guard state.isOver else { return nil }
            defer { state.opened = OpenedMedia() }
            return state.opened
        }
        if let late { close(late) }
    }

    /// Closes what the calls have opened, and the link.
    func end() {
        if let opened = handOver() { close(opened) }
    }

    private func close(_ opened: OpenedMedia) { opened.inventory.close(in: engine, session: session) }
}

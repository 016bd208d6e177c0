import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Signaling
import TLSChannel
import Testing

/// A client of the control protocol that can also violate it.
final class SocketClient: Sendable {
    struct Closed: Error, Equatable {
        var code: Int?
        var reason = ""
    }

    /// The relay refused the WebSocket handshake.
    struct Refused: Error {}

    /// An expected message did not arrive in time.
    struct TimedOut: Error, CustomStringConvertible {
        var description: String
    }

    private struct State {
        var nextID: UInt32 = 1
        var answers: [UInt32: ByteBuffer] = [:]
        var events: [EventMessage] = []
        /// Number of events that `next` has returned or skipped.
        var taken = 0
        var pongs = 0
        var pings = 0
        var closed: Closed?
        var isPaused = false
        var texts = 0
        /// Number of events received before each answer.
        var eventsBefore: [UInt32: Int] = [:]
    }

    let channel: NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    private let state = NIOLockedValueBox(State())

    /// - Parameter certificate: PEM file of the trusted certificate; nil: no TLS.
    init(
        port: Int, path: String = "/v1/connect", token: String? = nil,
        subprotocol: String? = SignalingProtocol.subprotocol, certificate: String? = nil
    ) async throws {
        let secure = try certificate.map { try TLSContext.client(.authorities(PEM.file($0))) }
        var headers = HTTPHeaders([("Host", "localhost"), ("Content-Length", "0")])
        if let subprotocol { headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
        if let token { headers.add(name: "Authorization", value: "Bearer \(token)") }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers)
        let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let secure {
                        try channel.pipeline.syncOperations.addHandler(
                            TLSHandler(client: secure, host: "localhost"))
                    }
                    return try Self.setUp(channel, head)
                }
            }
        guard let channel = try await upgrade.get() else { throw Refused() }
        self.channel = channel
        Task { await read() }
    }

    private static func setUp(
        _ channel: any Channel, _ head: HTTPRequestHead
    ) throws -> EventLoopFuture<NIOAsyncChannel<WebSocketFrame, WebSocketFrame>?> {
        let upgrader = NIOTypedWebSocketClientUpgrader<NIOAsyncChannel<WebSocketFrame, WebSocketFrame>?>(
            maxFrameSize: SignalingProtocol.maximumRelayMessageBytes,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
            })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(
                upgradeConfiguration: .init(
                    upgradeRequestHead: head, upgraders: [upgrader],
                    notUpgradingCompletionHandler: { channel in
                        channel.close(promise: nil)
                        return channel.eventLoop.makeSucceededFuture(nil)
                    })))
    }

    private func read() async {
        try? await channel.executeThenClose { inbound, outbound in
            for try await frame in inbound {
                while state.withLockedValue({ $0.isPaused }) { await moment() }
                switch frame.opcode {
                case .text: take(frame.data)
                case .ping:
                    state.withLockedValue { $0.pings += 1 }
                    try await outbound.write(
                        WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.data))
                case .pong: state.withLockedValue { $0.pongs += 1 }
                case .connectionClose:
                    var data = frame.data
                    let code = data.readInteger(as: UInt16.self).map { Int($0) }
                    let reason = data.readString(length: data.readableBytes) ?? ""
                    state.withLockedValue { $0.closed = Closed(code: code, reason: reason) }
                    try await outbound.write(
                        WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: frame.data))
                default: break
                }
            }
        }
        state.withLockedValue { if $0.closed == nil { $0.closed = Closed() } }
    }

    private func take(_ text: ByteBuffer) {
        let decoder = JSONDecoder()
        let data = Data(text.readableBytesView)
        guard let head = try? decoder.decode(MessageHead.self, from: data) else {
            Issue.record("the relay sent \(String(buffer: text))")
            return
        }
        let event = head.seq == nil ? nil : try? decoder.decode(EventMessage.self, from: data)
        state.withLockedValue { state in
            state.texts += 1
            if let id = head.id {
                state.answers[id] = text
                state.eventsBefore[id] = state.events.count
            }
            if let event { state.events.append(event) }
        }
    }

    // MARK: sending

    func send(_ frame: WebSocketFrame) async throws {
        try await channel.channel.writeAndFlush(frame)
    }

    func send(text: String) async throws { try await send(opcode: .text, ByteBuffer(string: text)) }

    func send(opcode: WebSocketOpcode, _ data: ByteBuffer, fin: Bool = true) async throws {
        try await send(WebSocketFrame(fin: fin, opcode: opcode, maskKey: .random(), data: data))
    }

    /// - Returns: the id of the request.
    @discardableResult
    func post(_ request: any RequestBody) async throws -> UInt32 {
        let id = state.withLockedValue { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        let data = try JSONEncoder().encode(RequestMessage(id: id, request))
        try await send(opcode: .text, ByteBuffer(bytes: data))
        return id
    }

    /// Sends a request and waits for its answer.
    func request<Body: RequestBody>(_ body: Body) async throws -> Result<Body.Answer, SignalingError> {
        try await answer(to: try await post(body), as: Body.Answer.self)
    }

    func answer<Answer: Hashable & Sendable & Codable>(
        to id: UInt32, as type: Answer.Type
    ) async throws -> Result<Answer, SignalingError> {
        let text = try await eventually("an answer to \(id)") { $0.answers.removeValue(forKey: id) }
        return try JSONDecoder().decode(ResultMessage<Answer>.self, from: Data(text.readableBytesView)).result
    }

    /// Sends a request that is answered with `Done`.
    func ask(_ request: any RequestBody) async throws -> SignalingError? {
        switch try await answer(to: try await post(request), as: Done.self) {
        case .success: nil
        case .failure(let error): error
        }
    }

    func join(
        _ name: String, session: String = "demo", token: TestToken? = TestToken(), password: String? = nil
    ) async throws -> JoinAnswer {
        let body = JoinRequest(session: session, token: token?.text, name: name, password: password)
        return try await request(body).get()
    }

    func refusal(
        joining session: String = "demo", token: TestToken? = TestToken(), password: String? = nil, version: Int = 1
    ) async throws -> SignalingError? {
        let body = JoinRequest(
            version: version, session: session, token: token?.text, name: "x", password: password)
        if case .failure(let error) = try await request(body) { return error }
        return nil
    }

    // MARK: receiving

    /// Returns the next event with that name; skips events before it.
    func next(_ name: EventName) async throws -> Event {
        try await eventually("the event \(name)") { state in
            while state.taken < state.events.count {
                defer { state.taken += 1 }
                if state.events[state.taken].event.name == name { return state.events[state.taken].event }
            }
            return nil
        }
    }

    /// All events received so far.
    var events: [EventMessage] { state.withLockedValue { $0.events } }
    var pongs: Int { state.withLockedValue { $0.pongs } }
    var pings: Int { state.withLockedValue { $0.pings } }
    var closed: Closed? { state.withLockedValue { $0.closed } }

    func events(count: Int) async throws -> [EventMessage] {
        try await eventually("\(count) events") { $0.events.count >= count ? $0.events : nil }
    }

    /// Whether the answer came before the first such event; false if there is none.
    func came(_ answer: UInt32, before isEffect: (Event) -> Bool) -> Bool {
        let (events, count) = state.withLockedValue { ($0.events, $0.eventsBefore[answer]) }
        guard let count, let index = events.firstIndex(where: { isEffect($0.event) }) else { return false }
        return count <= index
    }

    /// Waits for the relay's close frame and returns it.
    func closing() async throws -> Closed { try await eventually("the close") { $0.closed } }

    /// Stops or resumes reading; the relay's messages accumulate while it is stopped.
    func pause(_ isPaused: Bool = true) { state.withLockedValue { $0.isPaused = isPaused } }

    /// Closes the TCP connection without a close frame.
    func cut() async { try? await channel.channel.close() }

    private func eventually<R>(_ what: String, _ look: (inout State) -> R?) async throws -> R {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(20) {
            let (found, closed) = state.withLockedValue { (look(&$0), $0.closed) }
            if let found { return found }
            if let closed { throw closed }
            await moment()
        }
        throw TimedOut(description: "\(what) did not come; events: \(events.suffix(20).map(\.event.name))")
    }
}

import Conference
import MediaBase
import Messaging
import NIOCore
import NIOWebSocket
import Signaling

/// Protocol state of one WebSocket. Before a join or resume, requests are handled here; afterwards they go to the session. A faulty message
/// is answered with an error; too many of them end the connection.
struct ClientSession {
    enum Ending: Equatable {
        /// The connection was lost.
        case lost
        /// The client closed the WebSocket.
        case closed(WebSocketErrorCode?)
        case violated
        /// The relay accepts no more messages: the session has ended the connection, or too many messages were faulty.
        case refused
    }

    /// Maximum number by which faulty or too frequent messages may exceed the valid ones.
    static let maximumFaults = 200

    let liveSessions: LiveSessions
    let messages: MessageHub
    let socket: any ClientChannel
    let token: String?
    private let statistics: ControlStatistics
    let onJoin: @Sendable () -> Void
    private var rate: MessageRate
    private var faults = 0
    private(set) var membership: (liveSession: LiveSession, id: ConnectionID)?
    /// User whose conversation events the connection receives.
    var user: UserKey?
    /// Reason for which it receives no conversation events although it joined with an identity.
    var loginRefusal: SignalingError?
    private(set) var isOver = false
    /// Proxies the client to the home relay of its session; nil without a cluster, or if another relay proxies the client.
    let edge: ClusterEdge?
    /// Set by a join or resume that another relay must handle.
    var transfer: ClientTransfer?
    /// Counts a connection that has logged in but not joined.
    var loginLease: ResourceLease?

    init(
        liveSessions: LiveSessions, messages: MessageHub, socket: any ClientChannel, token: String?,
        statistics: ControlStatistics, edge: ClusterEdge? = nil,
        onJoin: @escaping @Sendable () -> Void
    ) {
        self.edge = edge
        self.liveSessions = liveSessions
        self.messages = messages
        self.socket = socket
        self.token = token
        self.statistics = statistics
        self.onJoin = onJoin
        rate = MessageRate(perSecond: liveSessions.configuration.messagesPerSecond, now: ControlClock.now)
    }

    /// - Returns: false if the connection is over.
    mutating func receive(_ text: ByteBuffer) async -> Bool {
        statistics.messageReceived()
        let message: RequestMessage
        var excess: SignalingError?
        do throws(SignalingError) {
            try rate.admit(now: ControlClock.now)
        } catch {
            excess = error
        }
        do throws(MessageCodec.Refusal) {
            message = try MessageCodec.request(text)
        } catch {
            return fault(error.id, excess ?? error.error)
        }
        if let excess { return fault(message.id, excess) }
        faults = max(faults - 1, 0)
        if message.request.isOfConversations { return await converse(message) }
        if let membership { return await membership.liveSession.request(message, from: membership.id, socket) }
        return await receiveOutside(message, text)
    }

    /// Refuses a faulty message. Returns false if there were too many.
    private mutating func fault(_ id: UInt32, _ error: SignalingError) -> Bool {
        faults += 1
        refuse(id, error)
        guard faults > Self.maximumFaults else { return true }
        // After a join, the session closes the socket.
        if membership == nil { socket.close(.policyViolation, DisconnectReason.protocolViolation.rawValue) }
        return false
    }

    func refuse(_ id: UInt32, _ error: SignalingError) {
        statistics.refused(error.code)
        statistics.messagesSent(1)
        socket.send([MessageCodec.failure(id, error)])
    }

    /// Refuses a join or resume whose home relay could not be reached.
    mutating func refuse(_ transfer: ClientTransfer) {
        self.transfer = nil
        guard let id = (try? MessageCodec.request(transfer.text))?.id else { return }
        refuse(id, LiveSessions.unavailable(.homeLost, .seconds(1)))
    }

    private mutating func receiveOutside(_ message: RequestMessage, _ text: ByteBuffer) async -> Bool {
        do throws(SignalingError) {
            switch message.request {
            case let request as JoinRequest: try await join(request, message.id, text)
            case let request as ResumeRequest: try await resume(request, message.id, text)
            case is PingRequest:
                statistics.messagesSent(1)
                socket.send([MessageCodec.answer(message.id, .success(Done()))])
            case is LeaveRequest:
                // A join that was cancelled leaves no trace (SES-4).
                statistics.messagesSent(1)
                socket.send([MessageCodec.answer(message.id, .success(Done()))])
                socket.close(.normalClosure, DisconnectReason.left.rawValue)
                isOver = true
                return false
            default: throw SignalingError(.notJoined)
            }
        } catch {
            refuse(message.id, error)
        }
        return true
    }

    private mutating func join(
        _ request: JoinRequest, _ id: UInt32, _ text: ByteBuffer
    ) async throws(SignalingError) {
        let began = ControlClock.now
        try check(request.version)
        guard let token = request.token ?? token else { throw SignalingError(.tokenMissing, field: "token") }
        let name = try SessionKey(app: "", name: request.session).name
        let verified = try await liveSessions.verifier.verify(token, session: name, now: ControlClock.wall).get()
        let key = try SessionKey(app: verified.app, name: name)
        if let home = try await edge?.home(of: key, newID: SessionID(rawValue: Secret.id())) {
            transfer = ClientTransfer(home: home, target: .session(key), text: text)
            return
        }
        let arrival = Arrival(
            request: id, at: began, program: request.client.map { String($0.prefix(200)) }, socket: socket)
        membership = try await liveSessions.join(request, verified, arrival)
        loginLease = nil
        onJoin()
        open(verified)
    }

    private mutating func resume(
        _ request: ResumeRequest, _ id: UInt32, _ text: ByteBuffer
    ) async throws(SignalingError) {
        try check(request.version)
        if let edge, let session = Secret.session(inResumeToken: request.resumeToken),
            let home = try await edge.home(of: session)
        {
            transfer = ClientTransfer(home: home, target: .id(session), text: text)
            return
        }
        let (liveSession, connection) = try await liveSessions.resume(
            request, Arrival(request: id, at: ControlClock.now, program: nil, socket: socket))
        membership = (liveSession, connection)
        loginLease = nil
        onJoin()
        if let user = await liveSession.messagingUser(of: connection) { open(user) }
    }

    func check(_ version: Int) throws(SignalingError) {
        guard version == SignalingProtocol.version else {
            throw SignalingError(
                .unsupportedVersion, "the relay supports version \(SignalingProtocol.version)", field: "version")
        }
    }

    /// Disconnects a client that sends requests but does not read the answers.
    mutating func refuseSlow() async -> Bool {
        if let membership {
            await membership.liveSession.disconnect(membership.id, socket, reason: .slowConsumer)
        } else {
            socket.close(.policyViolation, DisconnectReason.slowConsumer.rawValue)
        }
        return false
    }

    /// Handles the end of the WebSocket. A second call does nothing.
    mutating func end(_ ending: Ending) async {
        guard !isOver else { return }
        isOver = true
        guard let membership else { return }
        self.membership = nil
        switch ending {
        // A client that closes with 1000 (normal closure) or 1001 (going away, as browsers do) does not resume (RFC 6455 section 7.4.1).
        case .closed(.some(.normalClosure)), .closed(.some(.goingAway)):
            await membership.liveSession.disconnect(membership.id, socket, reason: .left)
        case .violated, .refused:
            await membership.liveSession.disconnect(membership.id, socket, reason: .protocolViolation)
        case .closed, .lost: await membership.liveSession.lost(membership.id, socket)
        }
    }
}

import Foundation
import MediaBase
import NIOCore
import SFrame
import Signaling

/// Client side of the control protocol as one state machine, without sockets, clock and tasks. It joins, keeps the connection alive,
/// reconnects after a loss, numbers requests, and handles each event once and in order.
///
/// Usage: call one of its methods, take `nextOutput()` until it returns nil, then sleep until `deadline` at the latest.
struct SessionMachine: SocketMachine {
    enum Output: Sendable {
        /// Open a WebSocket; a call of `opened` or `closed` with this number follows.
        case open(url: String, link: Int)
        /// Close a WebSocket. If `saysGoodbye` is true, the client has left for good; otherwise the relay waits for it to come back.
        case close(link: Int, saysGoodbye: Bool)
        case send([UInt8], link: Int)
        case event(SessionEvent)
        /// Result of `connect`.
        case entered(Result<Void, SessionError>)
        /// Result of `leave`.
        case left(Result<Void, SessionError>)
        /// Answer to a request, or the reason why there is none.
        case answer(ticket: UInt64, Result<[UInt8], SignalingError>)
        case media(MediaNotice)
        /// Event of the user's conversations, which do not belong to the session.
        case messaging(MessagingEvent)
    }

    enum Phase: Equatable {
        case idle
        /// A WebSocket is being opened.
        case opening
        /// `join` or `resume` was sent.
        case entering
        /// The join was refused because of its password; another attempt uses the same WebSocket.
        case asking
        case connected
        /// Waiting before the next attempt.
        case waiting
        /// `leave` was sent.
        case leaving
        case failed
    }

    struct Entry: Sendable {
        var session: String
        var token: String
        var name: String
        var password: String?
        var client: String?
        var media: JoinMedia?
        var requiresEncryption: Bool?
        var agreesOnKeys = false
    }

    struct Resumption {
        var token: String
        var lastEvent: UInt64
    }

    /// Purpose of a pending request.
    enum Purpose {
        case application(ticket: UInt64, change: GrantedChange?)
        case signal(QueuedSignal)
        case chat(RepeatableChat)
        case enter
        /// Next page of the users of the session that is being joined.
        case page
        case leave(endsForAll: Bool)
        case ping
        /// Signal of the key agreement.
        case keys
    }

    struct QueuedSignal: Sendable {
        var ticket: UInt64
        var request: SignalRequest
        var retries: Bool
    }

    /// Chat message with an id, by which the relay recognizes a repetition.
    struct RepeatableChat: Sendable {
        var ticket: UInt64
        var request: ChatRequest
    }

    /// Time in which the relay can answer a `leave`; the application leaves in any case.
    static let leaveTimeout = MediaTime.seconds(2)
    /// Number of gaps in the event numbers after which the client joins again instead of resuming.
    static let gapLimit = 3

    let configuration: SessionConfiguration
    var random: AnyRandom
    var url: String
    var model = SessionModel()
    var status = SessionStatus.notConnected
    var phase = Phase.idle
    /// Number of the current WebSocket; callbacks with another number are ignored.
    var link = 0
    var entry: Entry?
    var resumption: Resumption?
    /// Revision of the newest offer for the present subscribe peer connection, which a resume names.
    var offer: Int?
    var backoff: ReconnectBackoff
    /// Number of replayed events still expected before the client counts as reconnected.
    var replayLeft = 0
    /// Join answer with pages still missing.
    var roster: JoinRoster?
    var isNewConnection = false
    /// Key pair of the latest join, and the agreement under it; nil without key agreement.
    var identity: KeyAgreementIdentity?
    var agreement: KeyAgreement?
    var gaps = 0
    var phaseDeadline = MediaTime.never
    var liveness: Liveness
    var moveAt = MediaTime.never
    var moveTo: String?
    var requests: RequestLedger<Purpose>
    var signals = CircularBuffer<QueuedSignal>()
    /// Chat messages whose answers were lost with the connection, in the order in which they were sent.
    var unansweredChats: [RepeatableChat] = []
    var outputs = CircularBuffer<Output>()
    var isEntering = false
    /// Number of messages from the relay that could not be decoded.
    var refused = 0

    init(
        url: String, configuration: SessionConfiguration,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.url = url
        self.configuration = configuration
        self.random = AnyRandom(base: random)
        backoff = ReconnectBackoff(configuration.reconnect)
        liveness = Liveness(interval: MediaTime(configuration.pingInterval))
        requests = RequestLedger(timeout: MediaTime(configuration.requestTimeout))
    }

    mutating func nextOutput() -> Output? { outputs.popFirst() }

    // MARK: requests of the application

    /// Joins; after a refused password, on the same WebSocket.
    mutating func connect(_ entry: Entry, now: MediaTime) {
        switch phase {
        case .asking:
            self.entry = entry
            isEntering = true
            enter(now: now)
        case .idle, .failed:
            self.entry = entry
            model = SessionModel()
            resumption = nil
            backoff.end()
            isEntering = true
            set(.connecting)
            open(now: now)
        case .opening, .entering, .connected, .waiting, .leaving:
            outputs.append(.entered(.failure(SessionError(.alreadyJoined))))
        }
    }

    /// Leaves, or cancels the operation in progress.
    mutating func leave(endForAll: Bool, now: MediaTime) {
        switch phase {
        case .idle, .failed, .leaving:
            outputs.append(.left(.failure(SessionError(.notConnected))))
        case .opening, .entering, .asking, .waiting:
            if endForAll {
                outputs.append(.left(.failure(SessionError(.notConnected))))
            } else {
                finish(.left)
            }
        case .connected:
            set(.disconnecting)
            phase = .leaving
            phaseDeadline = now + (endForAll ? configuration.requestTimeout.bounded : Self.leaveTimeout)
            send(LeaveRequest(endForAll: endForAll), .leave(endsForAll: endForAll), now: now)
        }
    }

    /// Sends a request; its `answer` follows. If the connection is lost before the answer, the request fails, except for a chat message
    /// with an id, which is sent again.
    mutating func request(_ request: any RequestBody, ticket: UInt64, now: MediaTime) {
        guard phase == .connected else { return refuse(ticket, SignalingError(.notConnected)) }
        guard requests.count < configuration.requestLimit else {
            return refuse(ticket, SignalingError(.limitReached, limit: "requestLimit"))
        }
        if let chat = request as? ChatRequest, chat.id != nil {
            return send(request, .chat(RepeatableChat(ticket: ticket, request: chat)), now: now)
        }
        send(request, .application(ticket: ticket, change: GrantedChange(request)), now: now)
    }

    /// Sends a signal, or queues it until the connection is back.
    mutating func signal(_ request: SignalRequest, retries: Bool, ticket: UInt64, now: MediaTime) {
        if let objection = request.objection { return refuse(ticket, objection) }
        let signal = QueuedSignal(ticket: ticket, request: request, retries: retries)
        if phase == .connected, signals.isEmpty {
            guard requests.count < configuration.requestLimit else {
                return refuse(ticket, SignalingError(.limitReached, limit: "requestLimit"))
            }
            return send(request, .signal(signal), now: now)
        }
        guard backoff.isUnderWay, retries else { return refuse(ticket, SignalingError(.notConnected)) }
        guard signals.count < configuration.signalLimit else {
            return refuse(ticket, SignalingError(.limitReached, limit: "signalLimit"))
        }
        signals.append(signal)
    }

    // MARK: callbacks of the socket

    mutating func opened(link: Int, now: MediaTime) {
        guard link == self.link, phase == .opening else { return }
        enter(now: now)
    }

    /// - Parameter reason: human-readable text.
    mutating func closed(link: Int, reason: String, now: MediaTime) {
        guard link == self.link else { return }
        switch phase {
        case .idle, .waiting, .failed: break
        case .leaving: finish(.left)
        case .opening, .entering, .asking, .connected: lose(reason, now: now)
        }
    }

    mutating func receive(_ message: [UInt8], link: Int, now: MediaTime) {
        guard link == self.link else { return }
        switch phase {
        case .idle, .opening, .waiting, .failed: return
        case .entering, .asking, .connected, .leaving: break
        }
        liveness.heard(now: now)
        guard let head = try? JSONDecoder().decode(MessageHead.self, from: Data(message)) else {
            refused += 1
            return
        }
        if let id = head.id {
            take(answer: message, id: id, now: now)
        } else if let seq = head.seq {
            take(event: message, seq: seq, now: now)
        } else {
            refused += 1
        }
    }

    // MARK: time

    /// Latest time of the next call of `handleTimeout`.
    var deadline: MediaTime {
        min(
            phaseDeadline, moveAt, requests.deadline, agreementDeadline,
            phase == .connected ? liveness.deadline : .never)
    }

    mutating func handleTimeout(now: MediaTime) {
        if phaseDeadline <= now { phaseTimeout(now: now) }
        if requests.deadline <= now { lose("a request was not answered in time", now: now) }
        if moveAt <= now { move(now: now) }
        guard phase == .connected else { return }
        if liveness.isSilent(now: now) { return lose("the relay sent nothing for too long", now: now) }
        if liveness.takePing(now: now) { send(PingRequest(), .ping, now: now) }
        handleAgreementTimeout(now: now)
    }

    private mutating func phaseTimeout(now: MediaTime) {
        phaseDeadline = .never
        switch phase {
        case .opening, .entering: lose("the relay did not answer in time", now: now)
        case .waiting: open(now: now)
        case .leaving: finish(.left)
        // The announced replay did not arrive in time.
        case .connected: comeBack()
        case .idle, .asking, .failed: break
        }
    }
}

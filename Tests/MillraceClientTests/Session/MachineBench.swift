import Foundation
import MediaBase
import MillraceTestKit
import Signaling

@testable import MillraceClient

/// A session machine in virtual time; the test plays the relay.
struct MachineBench {
    var machine: SessionMachine
    var now = MediaTime.seconds(1)
    var events: [SessionEvent] = []
    /// Requests that were sent, on all WebSockets.
    var sent: [RequestMessage] = []
    var opened: [(url: String, link: Int, at: MediaTime)] = []
    var closed: [(link: Int, saysGoodbye: Bool)] = []
    var entered: [Result<Void, SessionError>] = []
    var left: [Result<Void, SessionError>] = []
    var answers: [UInt64: Result<[UInt8], SignalingError>] = [:]
    /// Tickets in the order of their answers.
    var answered: [UInt64] = []
    var media: [MediaNotice] = []
    var conversations: [MessagingEvent] = []
    /// Streams in the model at each event.
    var streamsAtEvent: [Set<StreamID>] = []
    var seq: UInt64 = 0

    static let url = "wss://relay.example"

    init(_ configuration: SessionConfiguration = SessionConfiguration(), seed: UInt64 = 1) {
        machine = SessionMachine(url: Self.url, configuration: configuration, random: SeededGenerator(seed: seed))
    }

    mutating func drain() {
        while let output = machine.nextOutput() {
            switch output {
            case .open(let url, let link): opened.append((url, link, now))
            case .close(let link, let saysGoodbye): closed.append((link, saysGoodbye))
            case .send(let message, _):
                if let request = try? JSONDecoder().decode(RequestMessage.self, from: Data(message)) {
                    sent.append(request)
                }
            case .event(let event):
                events.append(event)
                streamsAtEvent.append(Set(machine.model.streams.keys))
            case .entered(let result): entered.append(result)
            case .left(let result): left.append(result)
            case .answer(let ticket, let result):
                answers[ticket] = result
                answered.append(ticket)
            case .media(let notice): media.append(notice)
            case .messaging(let event): conversations.append(event)
            }
        }
    }

    var link: Int { opened.last?.link ?? 0 }

    // MARK: the application

    mutating func connect(password: String? = nil, agreesOnKeys: Bool = false) {
        machine.connect(
            .init(
                session: "Room", token: "token", name: "Ada", password: password, client: nil,
                agreesOnKeys: agreesOnKeys),
            now: now)
        drain()
    }

    mutating func signal(_ data: String, retries: Bool = true, ticket: UInt64) {
        machine.signal(SignalRequest(type: "t", data: data), retries: retries, ticket: ticket, now: now)
        drain()
    }

    // MARK: the relay

    mutating func open() {
        machine.opened(link: link, now: now)
        drain()
    }

    mutating func cut() {
        machine.closed(link: link, reason: "cut", now: now)
        drain()
    }

    mutating func reply<Answer: Hashable & Sendable & Codable>(
        _ result: Result<Answer, SignalingError>, to id: UInt32? = nil
    ) {
        guard let id = id ?? sent.last?.id, let data = try? JSONEncoder().encode(ResultMessage(id: id, result)) else {
            return
        }
        machine.receive([UInt8](data), link: link, now: now)
        drain()
    }

    mutating func refuse(_ error: SignalingError) { reply(Result<Done, SignalingError>.failure(error)) }

    /// Sends an event to the client, with the next number unless another one is given.
    mutating func tell(_ event: Event, seq number: UInt64? = nil) {
        if number == nil { seq += 1 }
        guard let data = try? JSONEncoder().encode(EventMessage(seq: number ?? seq, event)) else { return }
        machine.receive([UInt8](data), link: link, now: now)
        drain()
    }

    mutating func joined(_ answer: JoinAnswer = Self.answer()) {
        seq = 0
        reply(.success(answer))
    }

    mutating func resumed(missed: Int = 0) {
        reply(.success(ResumeRequest.Answer(connection: Self.me, missed: missed)))
    }

    /// Answers a resume with a snapshot.
    mutating func restored(
        _ snapshot: JoinAnswer, publishLost: Bool = false, subscribeLost: Bool = true,
        subscriptions: [StreamID]? = nil
    ) {
        seq = 0
        reply(
            .success(
                ResumeRequest.Answer(
                    connection: Self.me, missed: 0, publishLost: publishLost, subscribeLost: subscribeLost,
                    snapshot: snapshot, subscriptions: subscriptions)))
    }

    /// Loses the connection, and opens the next one.
    mutating func comeBack() {
        cut()
        advanceToOpen()
        open()
    }

    /// Connects and joins.
    mutating func enter(_ answer: JoinAnswer = Self.answer()) {
        connect()
        open()
        joined(answer)
    }

    /// Advances time, with each deadline on the way.
    mutating func advance(by time: MediaTime) {
        let end = now + time
        while machine.deadline <= end {
            now = max(now, machine.deadline)
            machine.handleTimeout(now: now)
            drain()
        }
        now = end
    }

    /// Advances time until the next WebSocket opens.
    mutating func advanceToOpen() {
        let before = opened.count
        while opened.count == before, machine.deadline != .never {
            now = max(now, machine.deadline)
            machine.handleTimeout(now: now)
            drain()
        }
    }

    // MARK: what the relay has

    static let me = ConnectionID(rawValue: "me")
    static let bob = ConnectionID(rawValue: "bob")

    static func user(_ id: ConnectionID, role: Role = .participant) -> UserInfo {
        UserInfo(id: id, name: id.rawValue, role: role, joinedAt: 1)
    }

    static func stream(_ id: String, of owner: ConnectionID = bob) -> StreamInfo {
        StreamInfo(
            id: StreamID(rawValue: id), connection: owner, name: id, hasAudio: true, hasVideo: true, createdAt: 2)
    }

    static func answer(
        connection: ConnectionID = me, users: [UserInfo] = [user(me, role: .host)], streams: [StreamInfo] = []
    ) -> JoinAnswer {
        JoinAnswer(
            session: SessionID(rawValue: "s"), sessionName: "room", connection: connection, resumeToken: "secret",
            graceSeconds: 30, capabilities: Capabilities(canPublish: true), users: users, streams: streams,
            isMuteForced: false, isShareLocked: false)
    }

    static func text(_ number: Int) -> Event {
        .signal(SignalReceived(from: bob, type: "n", data: "\(number)"))
    }

    /// Data of the received signals, in order.
    var heard: [String] {
        events.compactMap { event in
            if case .signal(_, _, let data) = event { return data }
            return nil
        }
    }

    var statuses: [SessionStatus] {
        events.compactMap { event in
            if case .statusChanged(let status) = event { return status }
            return nil
        }
    }

    func isJoin(_ request: RequestMessage?) -> Bool { request?.request.method == JoinRequest.method }
}

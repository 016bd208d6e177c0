import Foundation
import MediaBase
import MillraceClient
import NIOConcurrencyHelpers
import Signaling
import TestMedia

/// A participant: a WebSocket connection that joins, sends signals and counts.
final class CrowdMember: Sendable {
    let index: Int
    let session: Int

    private struct State {
        var socket: WebSocketConnection?
        var reader: Task<Void, Never>?
        /// Requests without an answer, with the continuation of the caller if one waits.
        var requests = RequestLedger<CheckedContinuation<[UInt8], any Error>?>(timeout: .seconds(86_400))
        var joined: JoinAnswer?
        var subsessions = SubsessionAnnouncements()
        var findings = Findings()
        var sent = 0
        var isLeaving = false
    }

    struct Findings: Sendable {
        var order = SignalOrder()
        var latency = Distribution()
        var refusals = 0
        /// Reason why the connection ended before the participant left.
        var loss: String?
    }

    private let state = NIOLockedValueBox(State())
    /// The participant's media, if it has any.
    let voice: CrowdVoice?

    init(index: Int, session: Int, voice: CrowdVoice? = nil) {
        self.index = index
        self.session = session
        self.voice = voice
    }

    /// Answer to the join request; nil before it has joined.
    var joined: JoinAnswer? { state.withLockedValue { $0.joined } }
    /// Announcements of subsessions that it received.
    var subsessions: SubsessionAnnouncements { state.withLockedValue { $0.subsessions } }

    var findings: Findings { state.withLockedValue { $0.findings } }

    /// Connects and joins.
    /// - Returns: nanoseconds from the first packet to the join answer.
    func join(_ target: WebSocketTarget, sessionName: String) async throws(LoadError) -> Int64 {
        let begun = LoadClock.now
        do {
            let socket = try await WebSocketConnection.open(target)
            let reader = Task { [weak self] in
                let reason = await socket.run { [weak self] in self?.receive($0) }
                self?.ended(reason)
            }
            state.withLockedValue { ($0.socket, $0.reader) = (socket, reader) }
            let answer = try await request(
                JoinRequest(session: sessionName, name: "Load \(index)", client: "millrace load"))
            state.withLockedValue { $0.joined = answer }
        } catch let error as SignalingError {
            throw .refused(status: 0, code: error.code.rawValue, detail: error.message)
        } catch {
            throw error as? LoadError ?? .noAnswer("unexpected join answer: \(error)")
        }
        return LoadClock.now - begun
    }

    /// Sends a signal to all participants of the session.
    func signal() {
        let mark = state.withLockedValue { state in
            state.sent += 1
            return SignalMark(sender: index, number: state.sent, sentAt: LoadClock.now)
        }
        send(SignalRequest(type: SignalMark.type, data: mark.text))
    }

    func ping() { send(PingRequest()) }

    /// Leaves the session; returns when the connection has ended.
    func leave() async {
        let (socket, reader) = state.withLockedValue { state in
            state.isLeaving = true
            return (state.socket, state.reader)
        }
        socket?.close(saysGoodbye: true)
        await reader?.value
    }

    /// Sends a request and waits for the answer.
    func request<Body: RequestBody>(_ body: Body) async throws -> Body.Answer {
        let answer = try await withCheckedThrowingContinuation { waiting in
            do { try send(body, waiting) } catch { waiting.resume(throwing: error) }
        }
        return try JSONDecoder().decode(ResultMessage<Body.Answer>.self, from: Data(answer)).result.get()
    }

    /// Sends a request. Its answer is counted if it is a refusal.
    private func send(_ request: any RequestBody) { try? send(request, nil) }

    private func send(_ request: any RequestBody, _ waiting: CheckedContinuation<[UInt8], any Error>?) throws {
        let (socket, message) = try state.withLockedValue { state in
            guard let socket = state.socket else { throw LoadError.notConnected("the relay ended the connection") }
            return (socket, try state.requests.add(request, waiting, now: .nanoseconds(LoadClock.now)))
        }
        socket.send(message)
    }

    private func receive(_ message: [UInt8]) {
        let now = LoadClock.now
        if let mark = SignalMark(in: message) {
            state.withLockedValue { state in
                state.findings.order.receive(mark)
                state.findings.latency.record((now - mark.sentAt) / 1_000)
            }
            return
        }
        if state.withLockedValue({ $0.subsessions.receive(message, now: now) }) { return }
        let data = Data(message)
        guard let head = try? JSONDecoder().decode(MessageHead.self, from: data) else { return }
        guard let id = head.id else {
            if head.event == EventName.offer.rawValue { answer(offer: data) }
            return
        }
        if let waiting = state.withLockedValue({ $0.requests.take(id) }) ?? nil {
            return waiting.resume(returning: message)
        }
        let result = try? JSONDecoder().decode(ResultMessage<Done>.self, from: data).result
        if case .success = result { return }
        state.withLockedValue { $0.findings.refusals += 1 }
    }

    private func answer(offer data: Data) {
        guard let voice, let message = try? JSONDecoder().decode(EventMessage.self, from: data),
            case .offer(let offer) = message.event, let sdp = voice.answer(offer.sdp)
        else { return }
        send(AnswerRequest(revision: offer.revision, sdp: sdp))
    }

    private func ended(_ reason: String) {
        let waiting = state.withLockedValue { state in
            if !state.isLeaving { state.findings.loss = reason }
            state.socket = nil
            return state.requests.removeAll()
        }
        for waiting in waiting.compactMap(\.self) { waiting.resume(throwing: LoadError.notConnected(reason)) }
    }
}

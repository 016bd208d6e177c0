import Foundation
internal import MillraceClient
internal import Signaling

/// One participant: a WebSocket that joins, sends and counts.
final class CrowdMember: Sendable {
    let index: Int
    let session: Int

    private struct State {
        var socket: WebSocketConnection?
        var reader: Task<Void, Never>?
        var waiting: CheckedContinuation<[UInt8], any Error>?
        var nextID: UInt32 = 1
        var sent = 0
        var order = SignalOrder()
        var latency = Distribution()
        var refusals = 0
        var isLeaving = false
        /// Why the connection ended before it was to.
        var loss: String?
    }

    private let state = Locked(State())

    init(index: Int, session: Int) {
        self.index = index
        self.session = session
    }

    struct Findings: Sendable {
        var sent = 0
        var order = SignalOrder()
        var latency = Distribution()
        var refusals = 0
        var loss: String?
    }

    var findings: Findings {
        state.withLock {
            Findings(sent: $0.sent, order: $0.order, latency: $0.latency, refusals: $0.refusals, loss: $0.loss)
        }
    }

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
            state.withLock {
                $0.socket = socket
                $0.reader = reader
            }
            let request = JoinRequest(session: sessionName, name: "Load \(index)", client: "millrace load")
            let answer = try await ask(.join(request))
            let result = try JSONDecoder().decode(ResultMessage<JoinAnswer>.self, from: Data(answer)).result
            if case .failure(let error) = result { throw error }
        } catch let error as SignalingError {
            throw .refused(status: 0, code: error.code.rawValue, detail: error.message)
        } catch let error as LoadError {
            throw error
        } catch {
            throw .door("the join answer is not what was expected: \(error)")
        }
        return LoadClock.now - begun
    }

    /// Says something to everybody in the session.
    func signal() {
        let mark = state.withLock { state in
            state.sent += 1
            return SignalMark(sender: index, number: state.sent, sentAt: LoadClock.now)
        }
        send(.signal(SignalRequest(type: SignalMark.type, data: mark.text)))
    }

    func ping() { send(.ping(PingRequest())) }

    /// Leaves; returns when the connection has ended.
    func leave() async {
        let (socket, reader) = state.withLock { state in
            state.isLeaving = true
            return (state.socket, state.reader)
        }
        socket?.close(saysGoodbye: true)
        await reader?.value
    }

    private func message(_ request: Request) -> [UInt8]? {
        let id = state.withLock { state in
            defer { state.nextID &+= 1 }
            return state.nextID
        }
        return (try? JSONEncoder().encode(RequestMessage(id: id, request))).map(Array.init)
    }

    private func send(_ request: Request) {
        guard let message = message(request) else { return }
        state.withLock { $0.socket }?.send(message)
    }

    private func ask(_ request: Request) async throws -> [UInt8] {
        let message = message(request) ?? []
        return try await withCheckedThrowingContinuation { waiting in
            let socket = state.withLock { state -> WebSocketConnection? in
                guard state.loss == nil else { return nil }
                state.waiting = waiting
                return state.socket
            }
            guard let socket else {
                waiting.resume(throwing: LoadError.notConnected("the relay ended the connection"))
                return
            }
            socket.send(message)
        }
    }

    private func receive(_ message: [UInt8]) {
        let now = LoadClock.now
        if let mark = SignalMark(in: message) {
            state.withLock { state in
                state.order.receive(mark)
                state.latency.record((now - mark.sentAt) / 1_000)
            }
            return
        }
        let data = Data(message)
        guard (try? JSONDecoder().decode(MessageHead.self, from: data))?.id != nil else { return }
        if let waiting = state.withLock({ state in
            defer { state.waiting = nil }
            return state.waiting
        }) {
            waiting.resume(returning: message)
            return
        }
        let result = try? JSONDecoder().decode(ResultMessage<Done>.self, from: data).result
        if case .success = result { return }
        state.withLock { $0.refusals += 1 }
    }

    private func ended(_ reason: String) {
        let waiting = state.withLock { state in
            if !state.isLeaving { state.loss = reason }
            state.socket = nil
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(throwing: LoadError.notConnected(reason))
    }
}

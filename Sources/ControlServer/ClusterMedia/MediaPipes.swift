import MediaBase
import MediaEngine
import Signaling

/// Pipes between the relays of a session. Opens those that are wanted, keeps the mirrors at their receiving ends equal to the streams at their
/// sending ends, and replaces those that fail.
struct MediaPipes {
    enum Purpose {
        case step(MediaPipe.Route, id: UInt64, MediaPipe.Step)
        /// Close of the end that has the mirrors.
        case close(id: UInt64)
        case nothing
    }

    struct Call {
        let relay: MediaRelay
        let call: MediaCall
        let purpose: Purpose
    }

    /// Pipe whose mirrors are being closed.
    private struct Closing {
        /// Nil if it is not known, because the previous home relay of the session had opened the pipe.
        let from: MediaRelay?
        let to: MediaRelay
        let receiver: TransportID
        let streams: Set<String>
        /// Time of the next try; nil while one is under way.
        var retry: MediaTime?
    }

    /// Time after which a close is tried again that the engine had no time for.
    private static let retryTime = MediaTime.milliseconds(250)

    private var pipes: [MediaPipe.Route: MediaPipe] = [:]
    /// Pipes whose mirrors may still exist.
    private var closing: [UInt64: Closing] = [:]
    /// Number of moves under way of publishers of each relay.
    private var moves: [MediaRelay: Int] = [:]
    private var lastID: UInt64 = 0
    private var calls: [Call] = []

    var isEmpty: Bool { pipes.isEmpty && closing.isEmpty }

    var routes: some Collection<MediaPipe.Route> { pipes.keys }

    var deadline: MediaTime {
        min(
            pipes.values.lazy.map(\.deadline).min() ?? .never, closing.values.lazy.compactMap(\.retry).min() ?? .never)
    }

    /// Returns whether a relay has pipes, or ends of them.
    func has(_ relay: MediaRelay) -> Bool {
        pipes.keys.contains { $0.from == relay || $0.to == relay } || closing.values.contains { $0.to == relay }
    }

    /// Returns whether a relay mirrors one of the streams, or may do so.
    func mirrors(_ streams: Set<String>, at relay: MediaRelay) -> Bool {
        pipes.values.contains { $0.route.to == relay && !$0.mirrored.isDisjoint(with: streams) }
            || closing.values.contains { $0.to == relay && !$0.streams.isDisjoint(with: streams) }
    }

    /// Returns whether a relay has a mirror of the stream.
    func has(_ stream: StreamID, at relay: MediaRelay) -> Bool {
        pipes.values.contains { $0.route.to == relay && $0.present.contains(stream.rawValue) }
    }

    /// Returns whether the receiving end of a pipe has this version, or is closed.
    func has(_ version: UInt64, _ id: UInt64) -> Bool {
        if let pipe = pipe(id) { return pipe.applied >= version }
        return closing[id] == nil
    }

    private func pipe(_ id: UInt64) -> MediaPipe? { pipes.values.first { $0.id == id } }

    mutating func takeCalls() -> [Call] {
        defer { calls = [] }
        return calls
    }

    // MARK: input

    /// Makes the pipes those of the routes.
    mutating func want(_ routes: Set<MediaPipe.Route>, now: MediaTime) {
        for (route, pipe) in pipes where !routes.contains(route) {
            pipes[route] = nil
            close(pipe)
        }
        for route in routes where pipes[route] == nil {
            pipes[route] = MediaPipe(id: makeID(), route, moves: moves[route.from] ?? 0, now: now)
            advance(route, now: now)
        }
    }

    /// Continues a pipe that the previous home relay of the session had opened. Its mirrors are as that relay knew them until the version 1.
    /// - Returns: number of the pipe; nil: the route has another one, or publishers of its relay move and its mirrors are not withheld.
    mutating func adopt(
        _ route: MediaPipe.Route, _ receiver: MediaInventory.Receiver, _ sender: PipeEnd, now: MediaTime
    ) -> UInt64? {
        guard pipes[route] == nil, moves[route.from] == nil else { return nil }
        let id = makeID()
        pipes[route] = MediaPipe(id: id, route, continuing: receiver, from: sender, now: now)
        advance(route, now: now)
        return id
    }

    /// Closes a receiving end that the previous home relay of the session had opened.
    /// - Returns: number of its pipe.
    mutating func discard(_ receiver: TransportID, mirroring streams: Set<String>, at relay: MediaRelay) -> UInt64 {
        let id = makeID()
        closing[id] = Closing(from: nil, to: relay, receiver: receiver, streams: streams)
        call(relay, .closePipe(receiver), .close(id: id))
        return id
    }

    /// Notes that the streams of a relay have changed.
    mutating func changed(at relay: MediaRelay, now: MediaTime) {
        for route in pipes.keys where route.from == relay {
            pipes[route]?.change(now: now)
            advance(route, now: now)
        }
    }

    /// Notes a change of a stream that all relays with mirrors of it must have.
    /// - Returns: versions that they have then, by pipe.
    mutating func changed(_ stream: String, at relay: MediaRelay, now: MediaTime) -> [UInt64: UInt64] {
        changed(at: relay, now: now)
        let closed = closing(from: relay, [stream])
        return versions { $0.route.from == relay && $0.mayMirror(stream) }.merging(closed.map { ($0, .max) }) { $1 }
    }

    /// Returns pipes that are being closed, and that may still mirror one of the streams.
    private func closing(from relay: MediaRelay, _ streams: Set<String>) -> [UInt64] {
        closing.filter { ($0.value.from ?? relay) == relay && !$0.value.streams.isDisjoint(with: streams) }.map(\.key)
    }

    private func versions(where isConcerned: (MediaPipe) -> Bool) -> [UInt64: UInt64] {
        Dictionary(uniqueKeysWithValues: pipes.values.filter(isConcerned).map { ($0.id, $0.version) })
    }

    /// Begins a move of publishers of a relay: the other relays stop to forward their streams.
    mutating func beginMove(of streams: Set<String>, at relay: MediaRelay, now: MediaTime) {
        moves[relay, default: 0] += 1
        for route in pipes.keys where route.from == relay {
            pipes[route]?.beginMove(of: streams)
            advance(route, now: now)
        }
    }

    /// Returns whether relays may still forward streams of a relay that move.
    func isForwarding(_ streams: Set<String>, from relay: MediaRelay) -> Bool {
        pipes.values.contains { $0.route.from == relay && $0.isWithholding } || !closing(from: relay, streams).isEmpty
    }

    /// Ends a move of publishers of a relay.
    /// - Returns: versions with which the receiving relays have the streams in their new locations, by pipe.
    mutating func endMove(at relay: MediaRelay, now: MediaTime) -> [UInt64: UInt64] {
        moves[relay, default: 1] -= 1
        if moves[relay] == 0 { moves[relay] = nil }
        for route in pipes.keys where route.from == relay {
            pipes[route]?.endMove(now: now)
            advance(route, now: now)
        }
        return versions { $0.route.from == relay && $0.hasMirrors }
    }

    mutating func answered(_ purpose: Purpose, _ result: MediaCallResult, now: MediaTime) {
        switch purpose {
        case .nothing: break
        case .close(let id):
            if case .failure(.limitReached) = result {
                closing[id]?.retry = now + Self.retryTime
            } else {
                closing[id] = nil
            }
        case .step(let route, let id, let step):
            guard pipes[route]?.id == id else {
                // It was closed in the meantime.
                if case .success(.pipe(let end)) = result {
                    call(step == .openReceiver ? route.to : route.from, .closePipe(end.id), .nothing)
                }
                return
            }
            if case .success(let answer) = result, pipes[route]?.answered(answer, now: now) == true {
                advance(route, now: now)
            } else {
                replace(route, now: now)
            }
        }
    }

    /// Forgets a relay that was lost, with the ends of its pipes.
    mutating func lost(_ relay: MediaRelay) {
        for (route, pipe) in pipes where route.from == relay || route.to == relay {
            pipes[route] = nil
            close(pipe, besides: relay)
        }
        for (id, pipe) in closing where pipe.to == relay { closing[id] = nil }
    }

    mutating func handleTimeout(now: MediaTime) {
        for (route, pipe) in pipes where pipe.deadline <= now { advance(route, now: now) }
        for (id, pipe) in closing where pipe.retry.map({ $0 <= now }) ?? false {
            closing[id]?.retry = nil
            call(pipe.to, .closePipe(pipe.receiver), .close(id: id))
        }
    }

    // MARK: calls

    private mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    private mutating func call(_ relay: MediaRelay, _ call: MediaCall, _ purpose: Purpose) {
        calls.append(Call(relay: relay, call: call, purpose: purpose))
    }

    private mutating func advance(_ route: MediaPipe.Route, now: MediaTime) {
        guard let id = pipes[route]?.id, let next = pipes[route]?.next(now: now) else { return }
        call(next.relay, next.call, .step(route, id: id, next.step))
    }

    private mutating func replace(_ route: MediaPipe.Route, now: MediaTime) {
        guard let pipe = pipes[route] else { return }
        close(pipe)
        pipes[route] = pipe.successor(id: makeID(), now: now)
    }

    /// - Parameter lost: relay that is gone.
    private mutating func close(_ pipe: MediaPipe, besides lost: MediaRelay? = nil) {
        for end in pipe.ends where end.relay != lost {
            guard end.relay == pipe.route.to else {
                call(end.relay, .closePipe(end.id), .nothing)
                continue
            }
            closing[pipe.id] = Closing(
                from: pipe.route.from, to: pipe.route.to, receiver: end.id, streams: pipe.mirrored)
            call(end.relay, .closePipe(end.id), .close(id: pipe.id))
        }
    }
}

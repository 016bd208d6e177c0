import Foundation
import MediaBase
import NIOCore
import Signaling

/// WebSocket to the relay that is reopened after each loss, as one state machine without sockets, clock and tasks. It numbers
/// requests, keeps the connection alive, and delivers answers and events of conversations in order. It does not join a session.
///
/// Usage: call one of its methods, take `nextOutput()` until it returns nil, then sleep until `deadline` at the latest.
struct LinkMachine: SocketMachine {
    enum Output: Sendable {
        /// Open a WebSocket; a call of `opened`, `refused` or `closed` with this number follows.
        case open(url: String, link: Int)
        case close(link: Int, saysGoodbye: Bool)
        case send([UInt8], link: Int)
        case news(LinkNews)
    }

    enum Phase: Equatable {
        case idle
        case opening
        case open
        /// Waiting before the next attempt.
        case waiting
        case over
    }

    private enum Purpose {
        case request(ticket: UInt64)
        case ping
    }

    let configuration: MessagingConfiguration
    private var random: AnyRandom
    private(set) var url: String
    private(set) var phase = Phase.idle
    /// Number of the current WebSocket; callbacks with another number are ignored.
    private(set) var link = 0
    private var phaseDeadline = MediaTime.never
    private var backoff: ReconnectBackoff
    private var liveness: Liveness
    private var requests: RequestLedger<Purpose>
    private var outputs = CircularBuffer<Output>()
    /// Number of messages from the relay that could not be decoded.
    private(set) var refused = 0

    init(
        url: String, configuration: MessagingConfiguration,
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

    // MARK: requests of the link's user

    mutating func start(now: MediaTime) {
        guard phase == .idle || phase == .over else { return }
        backoff.end()
        open(now: now)
    }

    mutating func send(_ request: any RequestBody, ticket: UInt64, now: MediaTime) {
        guard phase == .open else { return refuse(ticket, SignalingError(.notConnected)) }
        guard requests.count < configuration.requestLimit else {
            return refuse(ticket, SignalingError(.limitReached, limit: "requestLimit"))
        }
        send(request, .request(ticket: ticket), now: now)
    }

    /// - Parameter retryAfter: delay requested by the relay, in seconds.
    mutating func restart(retryAfter: Int?, now: MediaTime) {
        guard phase == .open else { return }
        lose("restarting", retryAfter: retryAfter, now: now)
    }

    mutating func stop() {
        guard phase != .over, phase != .idle else { return }
        outputs.append(.close(link: link, saysGoodbye: true))
        end()
    }

    // MARK: callbacks of the socket

    mutating func opened(link: Int, now: MediaTime) {
        guard link == self.link, phase == .opening else { return }
        phase = .open
        phaseDeadline = .never
        liveness.begin(now: now)
        outputs.append(.news(.up))
    }

    mutating func refused(link: Int, _ error: SignalingError, now: MediaTime) {
        guard link == self.link, phase == .opening else { return }
        guard error.code == .connectFailed || error.allowsAnotherAttempt(wasUp: backoff.isUnderWay) else {
            return fail(error)
        }
        lose(error.message, retryAfter: error.retryAfter, now: now)
    }

    /// - Parameter reason: human-readable text.
    mutating func closed(link: Int, reason: String, now: MediaTime) {
        guard link == self.link, phase == .opening || phase == .open else { return }
        lose(reason, now: now)
    }

    mutating func receive(_ message: [UInt8], link: Int, now: MediaTime) {
        guard link == self.link, phase == .open else { return }
        liveness.heard(now: now)
        // A message from the relay ends the reconnection.
        backoff.end()
        guard let head = try? JSONDecoder().decode(MessageHead.self, from: Data(message)) else {
            refused += 1
            return
        }
        if let id = head.id {
            guard let purpose = requests.take(id) else {
                refused += 1
                return
            }
            if case .request(let ticket) = purpose {
                outputs.append(.news(.answer(ticket: ticket, .success(message))))
            }
        } else if head.seq != nil, let event = try? JSONDecoder().decode(EventMessage.self, from: Data(message)).event {
            take(event, now: now)
        } else {
            // An event of a newer relay is ignored.
            refused += 1
        }
    }

    private mutating func take(_ event: Event, now: MediaTime) {
        switch event {
        case .messaging(let event): outputs.append(.news(.event(event)))
        case .draining(let body):
            guard let other = body.url, URL(string: other)?.host != nil else { return }
            url = other
            lose("the relay is draining", now: now)
        case .disconnected(let body):
            switch body.reason {
            case .relayShutdown, .slowConsumer, .networkLost: lose(body.message ?? body.reason.rawValue, now: now)
            case .tokenExpired: fail(SignalingError(.tokenExpired, body.message))
            case .removed: fail(SignalingError(.tokenRevoked, body.message))
            case .left, .sessionEnded, .protocolViolation:
                fail(SignalingError(.malformedMessage, body.message ?? body.reason.rawValue))
            }
        default: break
        }
    }

    // MARK: time

    var deadline: MediaTime {
        min(phaseDeadline, requests.deadline, phase == .open ? liveness.deadline : .never)
    }

    mutating func handleTimeout(now: MediaTime) {
        if phaseDeadline <= now {
            phaseDeadline = .never
            switch phase {
            case .opening: lose("the relay did not answer in time", now: now)
            case .waiting: open(now: now)
            case .idle, .open, .over: break
            }
        }
        if requests.deadline <= now { lose("a request was not answered in time", now: now) }
        guard phase == .open else { return }
        if liveness.isSilent(now: now) { return lose("the relay sent nothing for too long", now: now) }
        if liveness.takePing(now: now) { send(PingRequest(), .ping, now: now) }
    }

    // MARK: transitions

    private mutating func open(now: MediaTime) {
        link += 1
        phase = .opening
        phaseDeadline = now + configuration.connectTimeout.bounded
        outputs.append(.open(url: url, link: link))
    }

    private mutating func send(_ request: any RequestBody, _ purpose: Purpose, now: MediaTime) {
        do throws(SignalingError) {
            let message = try requests.add(request, purpose, now: now)
            outputs.append(.send(message, link: link))
        } catch {
            if case .request(let ticket) = purpose { refuse(ticket, error) }
        }
    }

    private mutating func refuse(_ ticket: UInt64, _ error: SignalingError) {
        outputs.append(.news(.answer(ticket: ticket, .failure(error))))
    }

    private mutating func lose(_ reason: String, retryAfter: Int? = nil, now: MediaTime) {
        let wasOpen = phase == .open
        outputs.append(.close(link: link, saysGoodbye: false))
        link += 1
        // `down` tells the callers of pending requests that no answers will arrive.
        _ = requests.removeAll()
        if wasOpen { outputs.append(.news(.down)) }
        backoff.begin(now: now)
        guard let next = backoff.nextAttempt(retryAfter: retryAfter, now: now, using: &random) else {
            return fail(SignalingError(.connectFailed, reason))
        }
        phase = .waiting
        phaseDeadline = next
    }

    private mutating func fail(_ error: SignalingError) {
        outputs.append(.close(link: link, saysGoodbye: true))
        end()
        outputs.append(.news(.ended(SessionError(error))))
    }

    private mutating func end() {
        link += 1
        phase = .over
        phaseDeadline = .never
        _ = requests.removeAll()
    }
}

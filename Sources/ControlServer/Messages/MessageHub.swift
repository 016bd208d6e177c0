package import Logging
import MediaBase
import Messaging
import NIOConcurrencyHelpers
import NIOCore
package import Persistence
import Signaling

/// Conversations at the doors: which sockets are whose, how fast users may ask, and the way of answers and of the events behind them. The
/// rules are those of `Messaging`, the store is behind them.
package final class MessageHub: Sendable {
    /// What stands behind the doors.
    package enum Storage: Sendable {
        case open(MessageDatabase)
        /// None was configured.
        case disabled
        /// It could not be opened; the relay does the rest of its work.
        case failed(StorageError)
    }

    /// What is told after a commit: the answer first.
    struct Outbound: Sendable {
        var deliveries: [MessageDelivery] = []
        var app = ""
        /// Whose request it was, with its answer.
        var origin: ClientSocket?
        var reply: ByteBuffer?
        /// Called when all of it was handed to sockets.
        var told: (@Sendable () -> Void)?
    }

    private struct State {
        var sockets: [UserKey: [ClientSocket]] = [:]
        /// Nobody logs in any more.
        var isDraining = false
        var rates: UserRates
        var counts = MessageCounts()
        /// When each kind of failure was last logged.
        var complaints: [StorageError.Kind: MediaTime] = [:]

        /// - Returns: whether it was there.
        mutating func remove(_ socket: ClientSocket, of user: UserKey) -> Bool {
            guard var others = sockets[user], let index = others.firstIndex(where: { $0 === socket }) else {
                return false
            }
            others.remove(at: index)
            sockets[user] = others.isEmpty ? nil : others
            return true
        }
    }

    /// Failures come by the request; the log has one in so much time.
    private static let complaintInterval = MediaTime.seconds(10)

    package let storage: Storage
    let configuration: MessageHubConfiguration
    let statistics: ControlStatistics
    let logger: Logger
    private let state: NIOLockedValueBox<State>
    private let outbound: AsyncStream<Outbound>.Continuation
    private let deliverer: Task<Void, Never>

    package init(
        _ storage: Storage, configuration: MessageHubConfiguration = MessageHubConfiguration(),
        statistics: ControlStatistics, logger: Logger
    ) {
        self.storage = storage
        self.configuration = configuration
        self.statistics = statistics
        self.logger = logger
        let state = NIOLockedValueBox(State(rates: UserRates(configuration.limits, now: ControlClock.now)))
        self.state = state
        // Bounded: a socket has one request at a time, a removal one slice; each waits until what it caused is told.
        let (stream, continuation) = AsyncStream<Outbound>.makeStream()
        outbound = continuation
        let courier = MessageCourier(configuration: configuration, statistics: statistics, logger: logger)
        deliverer = Task {
            for await item in stream {
                if let origin = item.origin, let reply = item.reply { origin.send([reply]) }
                for delivery in item.deliveries {
                    let keys = delivery.users.map { UserKey(app: item.app, id: $0) }
                    let sockets = state.withLockedValue { state in keys.flatMap { state.sockets[$0] ?? [] } }
                    let sent = courier.deliver(delivery, to: sockets, origin: item.origin)
                    state.withLockedValue { state in
                        state.counts.events += UInt64(sent.events)
                        for slow in sent.slow {
                            // It takes time to close; what comes meanwhile is not for it any more.
                            let wasThere = keys.contains { state.remove(slow, of: $0) }
                            if wasThere { state.counts.slowSockets += 1 }
                        }
                    }
                }
                item.told?()
            }
        }
        if case .open(let database) = storage {
            database.reportFailures { [weak self] error in self?.complain(error) }
        }
    }

    deinit {
        outbound.finish()
        deliverer.cancel()
    }

    package var counts: MessageCounts {
        state.withLockedValue { state in
            var counts = state.counts
            counts.users = state.sockets.count
            counts.sockets = state.sockets.values.reduce(0) { $0 + $1.count }
            return counts
        }
    }

    /// - Throws: `messagingDisabled`, `storageFailed`.
    func database() throws(SignalingError) -> MessageDatabase {
        switch storage {
        case .open(let database): return database
        case .disabled: throw SignalingError(.messagingDisabled)
        case .failed(let error): throw error.answer
        }
    }

    // MARK: who is there

    /// From now on the socket is told of the user's conversations.
    ///
    /// - Returns: false where it was already.
    /// - Throws: `limitReached` where the user has too many; `draining` where the relay will end, which nobody would tell it.
    @discardableResult
    func enter(_ user: UserKey, _ socket: ClientSocket) throws(SignalingError) -> Bool {
        let result = state.withLockedValue { state -> Result<Bool, SignalingError> in
            var sockets = state.sockets[user] ?? []
            if sockets.contains(where: { $0 === socket }) { return .success(false) }
            if state.isDraining, !socket.isInSession { return .failure(SignalingError(.draining)) }
            guard sockets.count < configuration.loginsPerUser else {
                return .failure(
                    SignalingError(
                        .limitReached, "the user is logged in \(configuration.loginsPerUser) times",
                        limit: MessageHubConfiguration.loginsKey))
            }
            sockets.append(socket)
            state.sockets[user] = sockets
            return .success(true)
        }
        return try result.get()
    }

    func leave(_ user: UserKey, _ socket: ClientSocket) {
        state.withLockedValue { _ = $0.remove(socket, of: user) }
    }

    /// From now on nobody logs in who is in no session.
    ///
    /// - Returns: sockets that are logged in and in no session, which would tell them.
    func beginDraining() -> [ClientSocket] {
        state.withLockedValue { state in
            state.isDraining = true
            return state.sockets.values.joined().filter { !$0.isInSession }
        }
    }

    func admit(_ user: UserKey, isMessage: Bool, cost: Int) throws(SignalingError) {
        let excess = state.withLockedValue { state -> SignalingError? in
            do throws(SignalingError) {
                try state.rates.admit(user, isMessage: isMessage, cost: cost, now: ControlClock.now)
                return nil
            } catch {
                return error
            }
        }
        if let excess { throw excess }
    }

    /// What a command touched besides what it was admitted with.
    func charge(_ user: UserKey, cost: Int) {
        state.withLockedValue { $0.rates.charge(user, cost: cost, now: ControlClock.now) }
    }

    func stored() { state.withLockedValue { $0.counts.messages += 1 } }

    /// In the order of the calls.
    func tell(_ item: Outbound) { outbound.yield(item) }

    /// Returns when all that was told before has been handed to sockets.
    func handedOver() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            tell(Outbound(told: { continuation.resume() }))
        }
    }

    // MARK: failures

    /// Says in the log what the operator is to do, not for each request.
    func complain(_ error: StorageError) {
        let now = ControlClock.now
        let isNew = state.withLockedValue { state -> Bool in
            if let last = state.complaints[error.kind], now - last < Self.complaintInterval { return false }
            state.complaints[error.kind] = now
            return true
        }
        guard isNew else { return }
        logger.error(
            "conversations cannot be stored or read",
            metadata: [
                "kind": "\(error.kind.rawValue)", "detail": "\(error.detail)", "advice": "\(error.advice)",
            ])
    }
}

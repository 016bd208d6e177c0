package import Logging
import MediaBase
import Messaging
import NIOConcurrencyHelpers
import NIOCore
package import Persistence
import Signaling

/// Conversations in the control protocol: sockets of each user, request rates, and the delivery of answers and events. The rules are in
/// `Messaging`, the store is in `Persistence`.
package final class MessageHub: Sendable {
    /// State of the message store.
    package enum Storage: Sendable {
        case open(MessageDatabase)
        /// No store is configured.
        case disabled
        /// The store could not be opened; the rest of the relay works.
        case failed(StorageError)
    }

    /// Messages to send after a commit, the answer first.
    struct Outbound: Sendable {
        var deliveries: [MessageDelivery] = []
        var app = ""
        /// Socket of the request, with its answer.
        var origin: (any ClientChannel)?
        var reply: ByteBuffer?
        /// Called when all messages have been passed to sockets.
        var told: (@Sendable () -> Void)?
    }

    private struct State {
        var sockets: [UserKey: [any ClientChannel]] = [:]
        /// Whether logins outside of sessions are refused.
        var isDraining = false
        var rates: UserRates
        var counts = MessageCounts()
        /// Events of other relays that were not passed to sockets yet.
        var announced = 0
        /// Time at which each kind of failure was last logged.
        var complaints: [StorageError.Kind: MediaTime] = [:]

        /// - Returns: whether the socket was logged in.
        mutating func remove(_ socket: any ClientChannel, of user: UserKey) -> Bool {
            guard var others = sockets[user], let index = others.firstIndex(where: { $0 === socket }) else {
                return false
            }
            others.remove(at: index)
            sockets[user] = others.isEmpty ? nil : others
            return true
        }
    }

    /// Minimum interval between log entries of one kind of failure, since every request may fail.
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
        // The stream stays bounded: a socket has one request in progress, a removal one slice, and each waits until its messages are sent.
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
                            // Closing takes time; further events do not go to this socket.
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
            database.reportNews { [weak self] news in self?.receive(news) }
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

    // MARK: sockets

    /// Delivers events of the user's conversations to the socket from now on.
    ///
    /// - Returns: false if it received them already.
    /// - Throws: `limitReached` if the user has too many sockets; `draining` if the relay drains and the socket is not in a session,
    ///   because no one would tell it of the shutdown.
    @discardableResult
    func enter(_ user: UserKey, _ socket: any ClientChannel) throws(SignalingError) -> Bool {
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

    func leave(_ user: UserKey, _ socket: any ClientChannel) {
        state.withLockedValue { _ = $0.remove(socket, of: user) }
    }

    /// Refuses logins outside of sessions from now on.
    ///
    /// - Returns: logged-in sockets that are not in a session, which would tell them of the shutdown.
    func beginDraining() -> [any ClientChannel] {
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

    /// Charges the part of a command's cost that was not known at its admission.
    func charge(_ user: UserKey, cost: Int) {
        state.withLockedValue { $0.rates.charge(user, cost: cost, now: ControlClock.now) }
    }

    func stored() { state.withLockedValue { $0.counts.messages += 1 } }

    /// Queues messages, which are sent in the order of the calls.
    func tell(_ item: Outbound) { outbound.yield(item) }

    /// Returns when all messages that were queued before have been passed to sockets.
    func handedOver() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            tell(Outbound(told: { continuation.resume() }))
        }
    }

    // MARK: other relays

    /// Passes events that another relay has committed to the users of this relay.
    private func receive(_ news: MessageNews) {
        guard case .announced(let announcement) = news else { return endLogins() }
        let item = state.withLockedValue { state -> Outbound? in
            let deliveries = announcement.deliveries.filter { delivery in
                delivery.users.contains { state.sockets[UserKey(app: announcement.app, id: $0)] != nil }
            }
            guard !deliveries.isEmpty else { return nil }
            state.announced += deliveries.count
            return Outbound(deliveries: deliveries, app: announcement.app)
        }
        guard var item else { return }
        let count = item.deliveries.count
        guard state.withLockedValue({ $0.announced }) <= configuration.announcedEvents else {
            state.withLockedValue { $0.announced -= count }
            return endLogins()
        }
        item.told = { [state] in state.withLockedValue { $0.announced -= count } }
        tell(item)
    }

    /// Closes all logged-in sockets, because some of their events are lost. Their clients return, and request what they lack from their cursors.
    private func endLogins() {
        let sockets = state.withLockedValue { state in
            defer { state.sockets = [:] }
            state.counts.endedLogins += UInt64(state.sockets.values.reduce(0) { $0 + $1.count })
            return Array(state.sockets.values.joined())
        }
        guard !sockets.isEmpty else { return }
        logger.warning(
            "events of other relays were missed, so clients have to read their conversations again",
            metadata: ["connections": "\(sockets.count)"])
        for socket in sockets { socket.close(.goingAway, DisconnectReason.networkLost.rawValue) }
    }

    // MARK: failures

    /// Logs a failure of the store with advice for the operator, once per interval.
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

import ControlServer
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Handles shutdown, by a signal or by an operator's order. Refuses new clients (`/readyz` tells load balancers),
/// notifies the clients, gives them time to leave, and then closes the rest. The relay ends when this service does.
struct DrainService: Service {
    /// Interval of checks whether all clients and peers have left.
    private static let look = Duration.milliseconds(100)

    let bodies: OpenBodies
    let sessions: any SessionAdministration
    let messages: MessageHub
    let control: DrainControl
    /// Time for clients to leave after a signal.
    let grace: Duration
    /// Minimum time before the end, in which load balancers notice the drain.
    let minimum: Duration
    let logger: Logger

    /// End of an ordered drain, and the URL that clients were sent to.
    private let ordered = NIOLockedValueBox<(end: ContinuousClock.Instant, url: String?)?>(nil)

    init(
        bodies: OpenBodies, sessions: any SessionAdministration, messages: MessageHub, control: DrainControl,
        grace: Duration,
        minimum: Duration, logger: Logger
    ) {
        self.bodies = bodies
        self.sessions = sessions
        self.messages = messages
        self.control = control
        self.grace = grace
        self.minimum = min(minimum, grace)
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await followOrders() }
        if Task.isCancelled {
            // Another service failed, so the relay ends without a drain.
            bodies.beginDraining()
        } else if Task.isShuttingDownGracefully {
            let begin = ContinuousClock.now
            let order = ordered.withLockedValue { $0 }
            // A signal during an ordered drain does not extend it.
            let end = min(begin + grace, order?.end ?? begin + grace)
            await announce(until: end, url: order?.url)
            await wait(from: begin, until: end)
        }
        await sessions.endAll()
        await messages.endAll()
        bodies.closeAll()
    }

    /// Returns when an order was carried out. A later order replaces an earlier one.
    private func followOrders() async {
        let (begins, begin) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await order in control.orders {
                    begin.yield()
                    await obey(order)
                }
                return false
            }
            group.addTask {
                // Checks for the end begin with the first order, so that a relay without one never wakes up for them.
                for await _ in begins {
                    await waitForOrderedEnd()
                    return true
                }
                return false
            }
            for await isOver in group where isOver { break }
            group.cancelAll()
        }
    }

    private func obey(_ order: DrainOrder) async {
        let end = ContinuousClock.now + .seconds(order.seconds)
        ordered.withLockedValue { $0 = (end, order.url) }
        await announce(until: end, url: order.url)
    }

    private func announce(until end: ContinuousClock.Instant, url: String?) async {
        let left = max(.zero, end - .now).components
        // Rounded up, so that an order of 30 s is announced as 30 s although part of the first second has passed.
        let seconds = Int(left.seconds) + (left.attoseconds > 0 ? 1 : 0)
        logger.notice("draining", metadata: ["seconds": "\(seconds)"])
        bodies.beginDraining()
        await sessions.announceDrain(seconds: seconds, url: url)
        messages.announceDrain(seconds: seconds, url: url)
    }

    private func waitForOrderedEnd() async {
        var begin: ContinuousClock.Instant?
        while !Task.isCancelled {
            if let end = ordered.withLockedValue({ $0?.end }) {
                let now = ContinuousClock.now
                begin = begin ?? now
                if now >= end { return }
                if let begin, await isOver(begin) { return }
            }
            try? await Task.sleep(for: Self.look)
        }
    }

    private func wait(from begin: ContinuousClock.Instant, until end: ContinuousClock.Instant) async {
        while !Task.isCancelled, .now < end {
            if await isOver(begin) { return }
            try? await Task.sleep(for: min(Self.look, end - .now))
        }
    }

    private func isOver(_ begin: ContinuousClock.Instant) async -> Bool {
        guard .now >= begin + minimum else { return false }
        return await sessions.gauges().leaving == 0
    }
}

import ControlServer
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// The first to hear of a shutdown, by a signal or by an operator's order: takes nothing new (`/readyz` says so, and a load balancer
/// looks elsewhere), tells the clients, gives them time to leave, and then ends what is still open. The relay ends when this service
/// does.
struct DrainService: Service {
    /// Between two looks whether all clients and peers have left.
    private static let look = Duration.milliseconds(100)

    let bodies: OpenBodies
    let sessions: any SessionsDoor
    let messages: MessageHub
    let control: DrainControl
    /// For clients to leave in, after a signal.
    let grace: Duration
    /// For load balancers to notice in.
    let minimum: Duration
    let logger: Logger

    /// When an ordered drain ends, and where clients were sent to.
    private let ordered = NIOLockedValueBox<(end: ContinuousClock.Instant, url: String?)?>(nil)

    init(
        bodies: OpenBodies, sessions: any SessionsDoor, messages: MessageHub, control: DrainControl, grace: Duration,
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
            // Something else of the relay failed, and there is no time to be kind.
            bodies.beginDraining()
        } else if Task.isShuttingDownGracefully {
            let begin = ContinuousClock.now
            let order = ordered.withLockedValue { $0 }
            // A signal during an ordered drain makes it no longer.
            let end = min(begin + grace, order?.end ?? begin + grace)
            await announce(until: end, url: order?.url)
            await wait(from: begin, until: end)
        }
        await sessions.endAll()
        await messages.endAll()
        bodies.closeAll()
    }

    /// Returns when an order was carried out. A later order takes the place of the one before.
    private func followOrders() async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await order in control.orders { await obey(order) }
                return false
            }
            group.addTask {
                await waitForOrderedEnd()
                return true
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
        // Rounded up: an order of 30 s is announced as 30 s, although some of the first second has passed.
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

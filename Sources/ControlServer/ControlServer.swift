import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
package import MediaEngine
import NIOCore
package import Recording
package import ServiceLifecycle
import TLSChannel

/// HTTP endpoints of a relay. They convert requests to commands and have no rules of their own.
package struct ControlServer: Sendable {
    package let engine: MediaEngine
    package let configuration: ControlConfiguration
    /// Nil if the relay has no directory for recordings.
    package let recorder: SessionRecorder?
    package let bodies: OpenBodies
    /// Part of the engine that WHIP and WHEP use.
    package let webRTC: any WebRTCMediaPlane
    package let parts: ControlParts
    package var statistics: ControlStatistics { parts.liveSessions.statistics }
    /// All routes; complete once `service` has been called.
    package let catalogue = RouteCatalogue()
    package let logger: Logger
    private let adminToken: StaticToken
    private let publishToken: StaticToken
    private let viewToken: StaticToken
    /// Counts wrong admin tokens on all routes together.
    private let adminGuesses: TokenGuard

    /// Connections that the kernel keeps until they are accepted. A connection beyond these is repeated by its client after a second. The kernel
    /// lowers the number to `net.core.somaxconn`.
    private static let pendingConnections = 4_096

    package init(
        engine: MediaEngine, webRTC: any WebRTCMediaPlane, configuration: ControlConfiguration,
        recorder: SessionRecorder?, bodies: OpenBodies, parts: ControlParts, logger: Logger
    ) {
        self.engine = engine
        self.webRTC = webRTC
        self.configuration = configuration
        self.recorder = recorder
        self.bodies = bodies
        self.parts = parts
        self.logger = logger
        adminToken = StaticToken(configuration.adminToken)
        publishToken = StaticToken(configuration.publishToken)
        viewToken = StaticToken(configuration.viewToken)
        adminGuesses = TokenGuard(perMinute: configuration.wrongTokensPerMinute)
    }

    /// Returns a service that binds the port and answers until it is shut down.
    ///
    /// - Parameter onBound: receives the port once it is bound.
    package func service(onBound: @escaping @Sendable (Int) -> Void) -> some Service {
        let statistics = statistics
        let configuration = configuration
        let tls = parts.certificates.map { certificates in { @Sendable in certificates.context } }
        let unjoined = UnjoinedSockets(
            limit: configuration.connect.unjoined, addressLimit: configuration.connect.unjoinedPerAddress)
        let addresses = HTTPAddresses(limit: configuration.connectionsPerAddress)
        let connect = ConnectHandler(
            liveSessions: parts.liveSessions, messages: parts.messages, unjoined: unjoined, statistics: statistics,
            isTLS: tls != nil, edge: parts.cluster, logger: logger)
        return application(
            router(), connect, addresses, tls: tls, address: configuration.address, port: configuration.port
        ) { listener in
            let acceptGuard = listener.eventLoop.submit {
                try listener.pipeline.syncOperations.addHandler(
                    AcceptGuard(ceiling: configuration.descriptorCeiling, statistics: statistics), position: .first)
            }
            try? await acceptGuard.get()
            onBound(listener.localAddress?.port ?? configuration.port)
        }
    }

    /// Creates the server of one port.
    ///
    /// - Parameters:
    ///   - tls: TLS settings for a new connection; nil: no TLS.
    ///   - onRunning: receives the listening channel.
    func application(
        _ router: Router<ControlContext>, _ connect: ConnectHandler, _ addresses: HTTPAddresses,
        tls: (@Sendable () -> TLSContext)?, address: String, port: Int,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some Service {
        // The relay's own log already covers what Hummingbird logs at every start and stop.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let (configuration, statistics, bodies, apps, pages) = (configuration, statistics, bodies, parts.apps, pages)
        return Application(
            router: router,
            server: HTTPServerBuilder { responder in
                ControlChannel(
                    responder: responder, configuration: configuration, statistics: statistics, bodies: bodies,
                    addresses: addresses, tls: tls, connect: connect, apps: apps, pages: pages)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(address, port: port), serverName: "millrace", backlog: Self.pendingConnections,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections, logger: quiet)),
            onServerRunning: onRunning,
            logger: quiet)
    }

    /// Adopts the static tokens of a new configuration, for requests from now on, and its limits of the control protocol.
    package func adopt(_ configuration: ControlConfiguration) {
        adminToken.replace(with: configuration.adminToken)
        publishToken.replace(with: configuration.publishToken)
        viewToken.replace(with: configuration.viewToken)
        parts.liveSessions.adopt(configuration.connect)
    }

    /// - Parameter isLink: whether the requests come from other relays of the cluster.
    func router(isLink: Bool = false) -> Router<ControlContext> {
        let router = Router(context: ControlContext.self)
        if isLink, let cluster = parts.cluster {
            router.add(middleware: ProxiedMiddleware())
            ClusterStateRoute(node: cluster.node).add(to: router)
        }
        router.add(middleware: CrossOriginMiddleware(origins: configuration.origins))
        router.add(middleware: ProblemMiddleware(statistics: statistics))
        let open = RouteTable(group: router.group(), catalogue: catalogue)
        HealthRoutes(bodies: bodies).add(to: open)
        PageRoutes().add(to: open)
        let metrics = RouteTable(
            group: configuration.isOnLoopback
                ? router.group().add(middleware: sameOrigin) : withAdminAccess(router.group()),
            access: configuration.isOnLoopback ? .open : .admin, catalogue: catalogue)
        MetricsRoute(
            engine: engine, recorder: recorder, statistics: statistics, bodies: bodies, parts: parts,
            crashReports: configuration.crashReports
        )
        .add(to: metrics)
        addAPI(to: router)
        addAdmin(to: router)
        addWebRTC(to: router)
        return router
    }

    private var pages: PageGuard { PageGuard(origins: configuration.origins, hosts: configuration.hosts) }

    private var sameOrigin: SameOriginMiddleware { SameOriginMiddleware(pages: pages) }

    /// Requires the admin token; if none is configured, refuses foreign pages.
    private func withAdminAccess(_ group: RouterGroup<ControlContext>) -> RouterGroup<ControlContext> {
        group.add(middleware: BearerTokenMiddleware(token: adminToken, guesses: adminGuesses, pages: pages))
    }

    /// Sends requests for sessions of other relays there. A relay without a cluster has no such middleware.
    ///
    /// - Parameter begins: returns whether a request may begin the session of its path.
    private func withCluster(
        _ group: RouterGroup<ControlContext>, begins: @escaping @Sendable (Request) -> Bool = { _ in false }
    ) -> RouterGroup<ControlContext> {
        guard let edge = parts.cluster else { return group }
        return group.add(
            middleware: ClusterMiddleware(
                edge: edge, standard: parts.apps.standard, bodyBytes: configuration.bodyBytes, bodies: bodies,
                begins: begins))
    }

    private func addAPI(to router: Router<ControlContext>) {
        let unlocked = RouteTable(group: router.group("v1"), prefix: "/v1", catalogue: catalogue)
        OpenAPIRoute().add(to: unlocked)
        // Development tokens are only for the relay's own page.
        let own = RouteTable(
            group: router.group("v1").add(middleware: sameOrigin), prefix: "/v1", catalogue: catalogue)
        DevelopmentTokenRoute(isDevelopment: configuration.isDevelopment).add(to: own)
        let apps = RouteTable(group: router.group("v1"), prefix: "/v1", access: .app, catalogue: catalogue)
        TokenRoutes(apps: parts.apps, configuration: configuration).add(to: apps)

        let connect = RouteTable(group: router.group("v1"), prefix: "/v1", access: .session, catalogue: catalogue)
        ConnectRoute(bodies: bodies).add(to: connect)
        let group = withCluster(withAdminAccess(router.group("v1"))) {
            $0.method == .post && $0.uri.path.hasSuffix("/plain")
        }
        let v1 = RouteTable(group: group, prefix: "/v1", access: .admin, catalogue: catalogue)
        PlainRoutes(
            engine: engine, liveSessions: parts.liveSessions, configuration: configuration, adminToken: adminToken,
            bodies: bodies, logger: logger
        ).add(to: v1)
        SessionRoutes(
            engine: engine, liveSessions: parts.liveSessions, recorder: recorder, configuration: configuration
        )
        .add(to: v1)
        addMedia(to: v1)
        UserRoutes(hub: parts.messages, standard: parts.apps.standard, logger: logger).add(to: v1)
    }

    private func addAdmin(to router: Router<ControlContext>) {
        let group = withCluster(withAdminAccess(router.group("v1/admin")))
        let table = RouteTable(group: group, prefix: "/v1/admin", access: .admin, catalogue: catalogue)
        AdminSessionRoutes(
            sessions: parts.sessions, standard: parts.apps.standard, configuration: configuration, bodies: bodies,
            logger: logger
        ).add(to: table)
        AdminMediaRoutes(engine: engine, recorder: recorder, standard: parts.apps.standard).add(to: table)
        AdminPushRoutes(
            sessions: parts.sessions, standard: parts.apps.standard, configuration: configuration, bodies: bodies,
            logger: logger
        ).add(to: table)
        AdminRelayRoutes(parts: parts, configuration: configuration, bodies: bodies).add(to: table)
        AdminClusterRoutes(edge: parts.cluster).add(to: table)
        addMedia(to: table)
    }

    /// Adds the routes of media, which `/v1` and `/v1/admin` share.
    private func addMedia(to table: RouteTable) {
        let standard = parts.apps.standard
        CanvasRoutes(
            engine: engine, sessions: parts.sessions, standard: standard, bodies: bodies, statistics: statistics,
            readerBytes: configuration.canvasBytes, logger: logger
        ).add(to: table)
        let live = LiveBody(bodies: bodies, statistics: statistics, logger: logger)
        LiveRoutes(engine: engine, standard: standard, body: live).add(to: table)
        ProgrammeRoutes(liveSessions: parts.liveSessions, standard: standard, body: live)
            .add(to: table)
        RecordRoutes(recorder: recorder, standard: standard, configuration: configuration, bodies: bodies)
            .add(to: table)
    }

    private func addWebRTC(to router: Router<ControlContext>) {
        let plane: any WebRTCMediaPlane =
            parts.cluster == nil ? webRTC : ClusterWebRTCPlane(engine: webRTC, liveSessions: parts.liveSessions)
        let sources = EventSources(plane: plane)
        let arrivals = StreamArrivals(events: plane.observeStreams()) { sources.note($0) }
        let exchange = WebRTCExchange(
            plane: plane, liveSessions: parts.liveSessions, arrivals: arrivals,
            configuration: configuration,
            bodies: bodies, statistics: statistics, logger: logger)
        func resource(_ direction: WebRTCRequest.Direction) -> WebRTCResource {
            WebRTCResource(
                plane: plane, liveSessions: parts.liveSessions, direction: direction, configuration: configuration,
                logger: logger, ended: { sources.end($0) })
        }
        // Counted separately from admin tokens: guesses at one token do not lock an address out of the other endpoints.
        let guesses = TokenGuard(perMinute: configuration.wrongTokensPerMinute)
        func table(_ token: StaticToken, _ access: RouteCatalogue.Access) -> RouteTable {
            let group = router.group()
            group.add(
                middleware: SessionTokenMiddleware(
                    token: token, guesses: guesses, liveSessions: parts.liveSessions, apps: parts.apps, pages: pages,
                    isPublisher: access == .publish, takesTokensInURLs: configuration.takesTokensInURLs))
            return RouteTable(
                group: withCluster(group) { $0.method == .post && access == .publish }, access: access,
                catalogue: catalogue)
        }
        WHIPRoutes(exchange: exchange, resource: resource(.publish))
            .add(to: table(publishToken, .publish))
        let views = table(viewToken, .view)
        let viewed = resource(.subscribe)
        WHEPRoutes(exchange: exchange, resource: viewed).add(to: views)
        WHEPEventRoutes(
            resource: viewed, sources: sources, bodies: bodies, bodyBytes: configuration.bodyBytes
        ).add(to: views, open: RouteTable(group: withCluster(router.group()), catalogue: catalogue))
    }
}

internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
package import Logging
package import MediaEngine
internal import NIOCore
package import Recording
package import ServiceLifecycle

/// The HTTP doors of a relay: wire to command and back, no rule of their own.
package struct ControlServer: Sendable {
    package let engine: MediaEngine
    package let configuration: ControlConfiguration
    /// Nil where the relay has no directory for recordings.
    package let recorder: SessionRecorder?
    package let bodies: OpenBodies
    /// Behind WHIP and WHEP: the engine, seen through a slit.
    package let webRTC: any WebRTCDoor
    package let statistics = ControlStatistics()
    package let logger: Logger

    package init(
        engine: MediaEngine, webRTC: any WebRTCDoor, configuration: ControlConfiguration,
        recorder: SessionRecorder?, bodies: OpenBodies, logger: Logger
    ) {
        self.engine = engine
        self.webRTC = webRTC
        self.configuration = configuration
        self.recorder = recorder
        self.bodies = bodies
        self.logger = logger
    }

    /// A service that binds the port and answers until it is shut down.
    ///
    /// - Parameter onBound: gets the port once it is bound.
    package func service(onBound: @escaping @Sendable (Int) -> Void) -> some Service {
        // Hummingbird says for every start and stop what the relay's own log says better.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let statistics = statistics
        let configuration = configuration
        let bodies = bodies
        return Application(
            router: router(),
            server: HTTPServerBuilder { responder in
                ControlChannel(
                    responder: responder, configuration: configuration, statistics: statistics, bodies: bodies)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.address, port: configuration.port), serverName: "millrace",
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.connections, logger: quiet)),
            onServerRunning: { onBound($0.localAddress?.port ?? configuration.port) },
            logger: quiet)
    }

    private func router() -> Router<ControlContext> {
        let router = Router(context: ControlContext.self)
        router.add(middleware: CrossOriginMiddleware(origin: configuration.corsOrigin))
        router.add(middleware: ProblemMiddleware(statistics: statistics))
        let open = RouteTable(group: router.group())
        HealthRoutes(bodies: bodies).add(to: open)
        PageRoutes().add(to: open)
        MetricsRoute(engine: engine, recorder: recorder, statistics: statistics, bodies: bodies).add(to: open)

        let group = router.group("v1")
        if let token = configuration.adminToken {
            group.add(middleware: BearerTokenMiddleware(token: BearerToken(token)))
        }
        let v1 = RouteTable(group: group)
        PlainRoutes(engine: engine, configuration: configuration, bodies: bodies, logger: logger).add(to: v1)
        SessionRoutes(engine: engine, recorder: recorder, configuration: configuration).add(to: v1)
        CanvasRoutes(engine: engine, bodies: bodies, statistics: statistics).add(to: v1)
        RecordRoutes(recorder: recorder, configuration: configuration, bodies: bodies).add(to: v1)
        addWebRTC(to: router)
        return router
    }

    private func addWebRTC(to router: Router<ControlContext>) {
        let exchange = WebRTCExchange(
            door: webRTC, arrivals: StreamArrivals(events: webRTC.observeStreams()), configuration: configuration,
            bodies: bodies, statistics: statistics, logger: logger)
        func resource(_ direction: WebRTCRequest.Direction) -> WebRTCResource {
            WebRTCResource(door: webRTC, direction: direction, configuration: configuration, logger: logger)
        }
        func table(_ token: BearerToken?) -> RouteTable {
            let group = router.group()
            if let token { group.add(middleware: BearerTokenMiddleware(token: token)) }
            return RouteTable(group: group)
        }
        let publishToken = configuration.publishToken.map(BearerToken.init)
        WHIPRoutes(exchange: exchange, resource: resource(.publish), token: publishToken).add(to: table(publishToken))
        let viewToken = configuration.viewToken.map(BearerToken.init)
        WHEPRoutes(exchange: exchange, resource: resource(.subscribe), token: viewToken).add(to: table(viewToken))
    }
}

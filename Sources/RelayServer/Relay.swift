package import ControlServer
import Foundation
public import Logging
import MediaBase
package import MediaEngine
import NIOConcurrencyHelpers
import Recording
import ServiceLifecycle

/// A relay: media engine, HTTP endpoints and recordings, started and stopped together.
///
/// ```swift
/// var configuration = RelayConfiguration()
/// configuration.httpPort = 0
/// let relay = Relay(configuration: configuration)
/// try await relay.start()
/// print("http://127.0.0.1:\(relay.httpPort)")
/// await relay.stop()
/// ```
public final class Relay: Sendable {
    /// Time for open answers to end after the drain.
    private static let lastAnswers = Duration.seconds(3)
    /// Time to send the last webhook events.
    private static let lastEvents = Duration.seconds(3)

    /// The configuration at the start; see `reload(_:)`.
    public let configuration: RelayConfiguration
    public let logger: Logger
    let logLevel: LogLevel
    let values: ConfigurationInForce

    struct Running: Sendable {
        let engine: MediaEngine
        let group: ServiceGroup
        let task: Task<Void, any Error>
        let httpPort: Int
        let server: ControlServer
        let webhooks: WebhookService
        let selfSigned: CertificateFingerprint?
    }

    private enum State: Sendable {
        case idle
        case starting
        case running(Running)
        case stopped
    }

    private let state = NIOLockedValueBox(State.idle)

    /// - Parameter logger: logger of the relay; nil writes lines to standard error as configured.
    public init(configuration: RelayConfiguration = RelayConfiguration(), logger: Logger? = nil) {
        values = ConfigurationInForce(configuration)
        self.configuration = values.atStart
        let level = LogLevel(Logger.Level(rawValue: configuration.logLevel) ?? .info)
        logLevel = level
        self.logger =
            logger
            ?? Logger(label: "millrace") { _ in
                StandardErrorLogHandler(level: level, format: configuration.logFormat)
            }
    }

    /// TCP port of the HTTP endpoints while the relay runs, otherwise 0.
    public var httpPort: Int { running?.httpPort ?? 0 }

    /// SHA-256 fingerprint of the certificate that the relay made for itself, as browsers show it: pairs of hexadecimal
    /// digits with colons between them. Nil with a configured certificate, without TLS, or if the relay does not run.
    public var selfSignedFingerprint: String? {
        running?.selfSigned.map { String($0.description.drop { $0 != " " }.dropFirst()) }
    }

    /// The media engine while the relay runs.
    package var engine: MediaEngine? { running?.engine }

    /// The HTTP server while the relay runs.
    package var server: ControlServer? { running?.server }

    var running: Running? {
        state.withLockedValue { if case .running(let running) = $0 { running } else { nil } }
    }

    /// Binds all ports and starts the workers; returns when the relay accepts requests.
    public func start() async throws(RelayError) {
        let isFirst = state.withLockedValue { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        guard isFirst else { throw .alreadyStarted }
        do {
            let running = try await launch()
            state.withLockedValue { $0 = .running(running) }
            #if DEBUG
                if let fault = configuration.fault {
                    logger.critical(
                        "FAULT INJECTION: this relay misbehaves on purpose", metadata: ["fault": "\(fault.rawValue)"])
                }
            #endif
            logger.notice("relay is ready", metadata: ["url": "\(url)"])
            if let selfSignedFingerprint {
                logger.notice(
                    "HTTP has a self-signed certificate", metadata: ["sha256": "\(selfSignedFingerprint)"])
            }
            logAdvertised(configuration)
            logExposure()
        } catch {
            state.withLockedValue { $0 = .stopped }
            throw error
        }
    }

    /// Drains and stops the relay: `/readyz` returns 503, open canvas responses and recordings are closed, then the
    /// ports. Returns when all are closed.
    public func stop() async {
        guard let running else { return }
        await running.group.triggerGracefulShutdown()
        _ = await running.task.result
        state.withLockedValue { $0 = .stopped }
    }

    /// Returns when the relay has stopped; throws the error of a service that stopped it.
    public func wait() async throws {
        guard let running else { return }
        defer { state.withLockedValue { $0 = .stopped } }
        try await running.task.value
    }

    private func launch() async throws(RelayError) -> Running {
        do {
            try configuration.validate()
        } catch {
            throw .configuration(error)
        }
        if let directory = configuration.effectiveRecordingDirectory { try Self.prepare(directory) }
        let files = try fileBudget()
        let engine: MediaEngine
        do {
            engine = try MediaEngine(configuration: engineConfiguration(files))
        } catch {
            throw .media(error.description)
        }
        let bodies = OpenBodies()
        let assembly: Assembly
        do {
            assembly = try assemble(engine, bodies)
        } catch {
            engine.stop()
            throw error
        }
        let parts = assembly.parts
        let hooks = RecordingHooks(sink: parts.webhooks, standard: parts.apps.standard)
        let recordingLog = RecordingLog(logger: logger)
        let recorder = configuration.effectiveRecordingDirectory.map {
            SessionRecorder(
                engine: engine, directory: $0, composes: configuration.recordingCompose,
                isLive: parts.liveSessions.isLive,
                source: parts.liveSessions.recordingSource
            ) { change in
                hooks.note(change)
                recordingLog.note(change)
                parts.liveSessions.note(change)
            }
        }
        let server = ControlServer(
            engine: engine, webRTC: engine, configuration: controlConfiguration(files), recorder: recorder,
            bodies: bodies,
            parts: parts, logger: logger)

        // The stream yields the bound port. An error instead of it means that the service group ended before.
        let (ports, report) = AsyncThrowingStream<Int, any Error>.makeStream()
        let http = server.service { report.yield($0) }
        // Shutdown runs from last to first: drain, close the HTTP endpoints, close the files, stop the media engine.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: EngineService(engine: engine), serviceName: "media")
        ]
        services += assembly.services
        if let recorder {
            let service = RecordingService(
                recorder: recorder, engine: engine, recordsEverything: !configuration.record.isEmpty, logger: logger)
            services.append(.init(service: service, serviceName: "recording"))
        }
        if let cluster = assembly.cluster {
            services += cluster.services(server: server, sessions: parts.liveSessions, logger: logger)
        }
        services.append(.init(service: http, serviceName: "http"))
        let drain = DrainService(
            bodies: bodies, sessions: parts.sessions, messages: parts.messages, control: parts.drain,
            grace: .seconds(configuration.drainSeconds), minimum: .seconds(configuration.drainMinimumSeconds),
            logger: logger)
        services.append(
            .init(service: drain, successTerminationBehavior: .gracefullyShutdownGroup, serviceName: "drain"))
        var groupConfiguration = ServiceGroupConfiguration(services: services, logger: quiet)
        groupConfiguration.maximumGracefulShutdownDuration =
            .seconds(configuration.drainSeconds) + Self.lastAnswers
            + Self.lastEvents
        let group = ServiceGroup(configuration: groupConfiguration)
        let task = Task {
            do {
                try await group.run()
                report.finish()
            } catch is CancellationError {
                // Answers that did not end in time were cut off.
                report.finish()
            } catch {
                report.finish(throwing: error)
                throw error
            }
        }
        var reason = "the service ended"
        var failure: RelayError?
        do {
            for try await port in ports {
                return Running(
                    engine: engine, group: group, task: task, httpPort: port, server: server,
                    webhooks: assembly.webhooks, selfSigned: assembly.selfSigned)
            }
        } catch let error as RelayError {
            failure = error
        } catch {
            reason = "\(ListenFailure(error))"
        }
        _ = await task.result
        engine.stop()
        if let failure { throw failure }
        throw .http(address: configuration.httpAddress, port: configuration.httpPort, reason: reason)
    }

    /// Creates the recording directory, so that a wrong path is reported at startup and not with the first stream.
    private static func prepare(_ directory: String) throws(RelayError) {
        do throws(RecordingError) {
            try RecordingFolder.create(directory)
        } catch {
            throw .recordingDirectory(path: directory, reason: error.description)
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw .recordingDirectory(path: directory, reason: String(cString: strerror(errno)))
        }
    }

    /// Logger of the service group, whose own messages are only useful if it fails.
    private var quiet: Logger {
        var logger = logger
        logger.logLevel = max(logger.logLevel, .error)
        return logger
    }
}

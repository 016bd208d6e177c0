import ControlServer
import DTLS
import Foundation
import HTTPCalls
import MediaBase
import MediaEngine
import Recording
import ServiceLifecycle

extension Relay {
    /// Parts of the control plane, made from the configuration, and the services that they need.
    struct Assembly: Sendable {
        let parts: ControlParts
        let webhooks: WebhookService
        let certificates: CertificateService?
        /// Fingerprint of the certificate that the relay made for itself; nil if it has none.
        let selfSigned: CertificateFingerprint?
        let messages: MessageService?
        /// Nil: the relay is not in a cluster.
        let cluster: ClusterParts?

        /// Services in start order; they end in reverse order.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] {
            var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
                .init(service: webhooks, serviceName: "webhooks")
            ]
            if let messages { services.append(.init(service: messages, serviceName: "messages")) }
            if let certificates { services.append(.init(service: certificates, serviceName: "certificates")) }
            return services
        }
    }

    func assemble(_ engine: MediaEngine, _ bodies: OpenBodies) throws(RelayError) -> Assembly {
        let apps = configuration.appDirectory
        let verifier = JWTVerifier(apps: apps, leeway: configuration.tokenLeewaySeconds)
        let statistics = WebhookStatistics()
        let webhooks = WebhookService(
            url: HTTPTarget(configuration.webhookURL), secret: configuration.webhookSecret,
            limits: configuration.webhookLimits, statistics: statistics, logger: logger)
        let issues = try issues()
        let control = configuration.control
        let selfSigned = try selfSignedCertificate()
        let certificates = try certificates(selfSigned?.path)
        let cluster = try cluster(engine, bodies, isTLS: certificates != nil)
        let counts = ControlStatistics()
        let (messages, messageService) = try self.messages(statistics: counts)
        let liveSessions = LiveSessions(
            engine: engine, taps: engine, verifier: verifier, issues: issues, hooks: webhooks,
            configuration: control.connect,
            iceServers: control.iceServers, statistics: counts, logger: logger, cluster: cluster?.node,
            caller: configuration.clusterPipes ? cluster?.edge.caller : nil, journal: journal,
            programmes: control.programmes)
        var parts = ControlParts(
            apps: apps, tokens: verifier, tokenStatistics: verifier.statistics, liveSessions: liveSessions,
            messages: messages,
            issues: issues,
            webhooks: webhooks, webhookStatistics: statistics)
        parts.certificates = certificates
        parts.cluster = cluster?.edge
        return Assembly(
            parts: parts, webhooks: webhooks,
            certificates: parts.certificates.map { CertificateService(store: $0, logger: logger) },
            selfSigned: selfSigned?.fingerprint, messages: messageService, cluster: cluster)
    }

    /// Writer of the journals beside recordings; nil if nothing is recorded, or no chat.
    private var journal: JournalWriter? {
        guard configuration.recordingChat, let directory = configuration.effectiveRecordingDirectory else { return nil }
        let log = RecordingLog(logger: logger)
        return JournalWriter(directory: directory) { log.note($0) }
    }

    private func issues() throws(RelayError) -> IssueArchive {
        let directory = configuration.issuesDirectory
        do {
            return try IssueArchive(
                count: configuration.issuesCount, bytes: configuration.issuesBytes,
                directory: directory.isEmpty ? nil : directory, logger: logger)
        } catch {
            throw .issuesDirectory(path: directory, reason: error.localizedDescription)
        }
    }

    /// Returns the file of the certificate that the relay makes for itself, and its fingerprint; nil without `tls`.
    private func selfSignedCertificate() throws(RelayError) -> (path: String, fingerprint: CertificateFingerprint)? {
        guard configuration.tls == .selfSigned else { return nil }
        guard let directory = configuration.selfSignedDirectory(environment: ProcessInfo.processInfo.environment) else {
            throw .tls("a self-signed certificate needs storage.directory, because the process has no HOME")
        }
        let file = SelfSignedFile(directory: directory)
        let certificate = try file.prepare(
            names: configuration.selfSignedNames(hostName: Self.hostName),
            addresses: configuration.selfSignedAddresses(of: InterfaceAddress.all()),
            now: Int(Date().timeIntervalSince1970))
        return (file.path, certificate.fingerprint)
    }

    /// - Parameter selfSigned: file with certificate and key; nil: the configured files.
    private func certificates(_ selfSigned: String?) throws(RelayError) -> CertificateStore? {
        let certificate = selfSigned ?? configuration.httpTLSCertificate
        guard !certificate.isEmpty else { return nil }
        do throws(CertificateStore.Unreadable) {
            return try CertificateStore(certificate: certificate, key: selfSigned ?? configuration.httpTLSKey)
        } catch {
            throw .tls(error.description)
        }
    }
}

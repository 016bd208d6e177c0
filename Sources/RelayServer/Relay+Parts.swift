import ControlServer
import Foundation
import HTTPCalls
import MediaEngine
import ServiceLifecycle

extension Relay {
    /// Parts of the control plane, made from the configuration, and the services that they need.
    struct Assembly: Sendable {
        let parts: ControlParts
        let webhooks: WebhookService?
        let certificates: CertificateService?
        let messages: MessageService?

        /// Services in start order; they end in reverse order.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] {
            var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
            if let webhooks { services.append(.init(service: webhooks, serviceName: "webhooks")) }
            if let messages { services.append(.init(service: messages, serviceName: "messages")) }
            if let certificates { services.append(.init(service: certificates, serviceName: "certificates")) }
            return services
        }
    }

    func assemble(_ engine: MediaEngine) throws(RelayError) -> Assembly {
        let apps = configuration.appDirectory
        let verifier = JWTVerifier(apps: apps, leeway: configuration.tokenLeewaySeconds)
        let statistics = WebhookStatistics()
        let webhooks = HTTPTarget(configuration.webhookURL).map { url in
            WebhookService(
                url: url, secret: configuration.webhookSecret, limits: configuration.webhookLimits,
                statistics: statistics, logger: logger)
        }
        let sink: any WebhookSink = webhooks ?? NoWebhooks()
        let issues = try issues()
        let control = configuration.control
        let counts = ControlStatistics()
        let (messages, messageService) = try self.messages(statistics: counts)
        let liveSessions = LiveSessions(
            engine: engine, verifier: verifier, issues: issues, hooks: sink, configuration: control.connect,
            iceServers: control.iceServers, statistics: counts, logger: logger)
        var parts = ControlParts(
            apps: apps, tokens: verifier, tokenStatistics: verifier.statistics, liveSessions: liveSessions,
            messages: messages,
            issues: issues,
            webhooks: sink, webhookStatistics: statistics)
        parts.certificates = try certificates()
        return Assembly(
            parts: parts, webhooks: webhooks,
            certificates: parts.certificates.map { CertificateService(store: $0, logger: logger) },
            messages: messageService)
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

    private func certificates() throws(RelayError) -> CertificateStore? {
        guard !configuration.httpTLSCertificate.isEmpty else { return nil }
        do throws(CertificateStore.Unreadable) {
            return try CertificateStore(certificate: configuration.httpTLSCertificate, key: configuration.httpTLSKey)
        } catch {
            throw .tls(error.description)
        }
    }
}

package import Logging
import ServiceLifecycle

/// Loads new certificate files within seconds of a change.
package struct CertificateService: Service {
    /// Interval between checks of the files.
    private static let pause = Duration.seconds(2)

    let store: CertificateStore
    let logger: Logger

    package init(store: CertificateStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.pause)
                look()
            }
        }
    }

    private func look() {
        switch store.look() {
        case .none: break
        case .renewed:
            logger.notice("new TLS certificate", metadata: ["file": "\(store.certificate)"])
        case .bad(let error):
            logger.error("the new TLS certificate cannot be used; the old one stays in use: \(error)")
        }
    }
}

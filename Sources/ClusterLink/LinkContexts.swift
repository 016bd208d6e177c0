import NIOConcurrencyHelpers
import TLSChannel

/// TLS contexts for connections to other relays, one for each certificate. It is made once because it parses the relay's own certificate.
struct LinkContexts: Sendable {
    private let identity: LinkIdentity
    private let limit: Int
    private let contexts = NIOLockedValueBox<[[UInt8]: TLSContext]>([:])

    /// - Parameter limit: maximum number of contexts; beyond it, all are made again.
    init(_ identity: LinkIdentity, limit: Int) {
        self.identity = identity
        self.limit = limit
    }

    func context(of fingerprint: [UInt8]) throws(LinkError) -> TLSContext {
        if let known = contexts.withLockedValue({ $0[fingerprint] }) { return known }
        do throws(TLSFailure) {
            let made = try identity.client(of: fingerprint)
            contexts.withLockedValue { contexts in
                if contexts.count >= limit { contexts.removeAll() }
                contexts[fingerprint] = made
            }
            return made
        } catch {
            throw .connect("\(error)")
        }
    }
}

import Synchronization

/// Table of the fingerprints that a server accepts, which can change between connections.
final class KnownPeers: Sendable {
    private let known: Mutex<Set<[UInt8]>>
    private let asked = Mutex<[[UInt8]]>([])

    init(_ known: Set<[UInt8]> = []) { self.known = Mutex(known) }

    /// Fingerprints that were looked up.
    var lookups: [[UInt8]] { asked.withLock { $0 } }

    func replace(by fingerprints: Set<[UInt8]>) { known.withLock { $0 = fingerprints } }

    func accept(_ fingerprint: [UInt8]) -> Bool {
        asked.withLock { $0.append(fingerprint) }
        return known.withLock { $0.contains(fingerprint) }
    }
}

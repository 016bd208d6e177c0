import Forwarding
import MediaBase

/// The fan-out of one session: packets of hostile publishers with any sequence numbers, timestamps and payloads, and subscribers that
/// switch, pause and request retransmissions.
enum RouterFuzz {
    static let history = FuzzHistory(limit: 4_096)

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let session = try RoutedSession()
        try history.run(bytes) { code, input throws(FuzzViolation) in try session.apply(code, &input) }
        try session.flush()
    }
}

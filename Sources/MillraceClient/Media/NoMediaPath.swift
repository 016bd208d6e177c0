import MediaBase
import Transport

/// A failed media path and the candidates tried: ICE or DTLS did not complete within 10 s.
///
/// ```swift
/// case .noMediaPath(let path):
///     for candidate in path.candidates { print(candidate.address, candidate.checksSent, candidate.checksAnswered) }
/// ```
public struct NoMediaPath: Hashable, Sendable {
    /// Stage at which a path failed.
    public enum Stage: String, Hashable, Sendable {
        /// No address of the relay answered a connectivity check (RFC 8445). Usual causes: a firewall drops UDP, or the relay advertises an
        /// address that this network cannot reach.
        case ice
        /// An address answered, but the DTLS handshake did not complete.
        case dtls
    }

    /// Candidate address of the relay.
    public struct Candidate: Hashable, Sendable {
        /// Address with port: `203.0.113.1:7882`, `[2001:db8::1]:7882`.
        public var address: String
        /// Whether the candidate is for media over TCP (RFC 6544). This client does not support it: such a candidate is listed but never
        /// tried.
        public var isTCP: Bool
        /// Number of connectivity checks sent (RFC 8445 section 7), including retransmissions.
        public var checksSent: Int
        /// Number of checks that the relay answered.
        public var checksAnswered: Int
    }

    /// The affected peer connection.
    public var direction: MediaDirection
    public var stage: Stage
    /// Candidates from the relay's answer or offer; at most 32.
    public var candidates: [Candidate]

    init(_ report: MediaPathReport, _ direction: MediaDirection) {
        self.direction = direction
        switch report.stage {
        case .ice: stage = .ice
        case .dtls: stage = .dtls
        }
        candidates = report.candidates.map {
            Candidate(
                address: $0.address.description, isTCP: $0.isTCP, checksSent: $0.checks, checksAnswered: $0.answers)
        }
    }
}

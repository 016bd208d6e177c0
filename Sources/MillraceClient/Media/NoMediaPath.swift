import MediaBase
import Transport

/// A failed media path and the candidates tried: ICE or DTLS had not completed 10 s after they began.
///
/// ```swift
/// case .noMediaPath(let path):
///     for candidate in path.candidates { print(candidate.address, candidate.checksSent, candidate.checksAnswered) }
/// ```
public struct NoMediaPath: Hashable, Sendable {
    /// How far a path came.
    public enum Stage: String, Hashable, Sendable {
        /// No address of the relay answered (RFC 8445). A firewall drops UDP, or the relay advertises an address that this network does not
        /// reach.
        case ice
        /// An address answered, and the encrypted connection was not made.
        case dtls
    }

    /// An address of the relay.
    public struct Candidate: Hashable, Sendable {
        /// With the port: `203.0.113.1:7882`, `[2001:db8::1]:7882`.
        public var address: String
        /// Media over TCP (RFC 6544), which this client does not use: such a candidate is listed and never tried.
        public var isTCP: Bool
        /// Connectivity checks (RFC 8445 section 7) that were sent, repetitions included.
        public var checksSent: Int
        /// Those that the relay answered.
        public var checksAnswered: Int
    }

    /// The peer connection that it is about.
    public var direction: MediaDirection
    public var stage: Stage
    /// Those of the relay's answer or offer; 32 at most.
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

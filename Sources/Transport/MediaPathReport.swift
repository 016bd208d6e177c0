package import MediaBase

/// Report on a path that was not ready in time, with the candidates that the client tried.
package struct MediaPathReport: Sendable, Hashable {
    package enum Stage: Sendable {
        /// No candidate of the relay was selected.
        case ice
        /// A candidate was selected, but no keys were established.
        case dtls
    }

    package struct Candidate: Sendable, Hashable {
        package var address: SocketAddress
        package var isTCP: Bool
        /// Number of connectivity checks sent, including retransmissions; `answers` is the number answered.
        package var checks: Int
        package var answers: Int
    }

    package var stage: Stage
    /// Candidates of the relay, in the order of its answer; at most `ICEFullAgent.pairLimit`.
    package var candidates: [Candidate]

    package init(stage: Stage, candidates: [Candidate]) {
        self.stage = stage
        self.candidates = candidates
    }
}

package import MediaBase

/// A path that was not ready in time, and the candidates by which a client tried to reach the relay.
package struct MediaPathReport: Sendable, Hashable {
    package enum Stage: Sendable {
        /// No candidate of the relay's was selected.
        case ice
        /// A candidate was selected, and no keys were agreed on.
        case dtls
    }

    package struct Candidate: Sendable, Hashable {
        package var address: SocketAddress
        package var isTCP: Bool
        /// Connectivity checks sent, repeated ones included, and those that were answered.
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

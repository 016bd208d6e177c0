package import MediaBase

/// Judges the path of a push by the server's answers to checks.
package struct PushPathWatch {
    package enum Change: Sendable, Hashable {
        /// No answer for `silence`.
        case lost
        /// An answer after `lost` or `expectAnswer`.
        case restored
    }

    /// Time without an answer after which the path counts as lost. At least three checks in a row are then unanswered: they are sent every
    /// 4 to 6 s, and every 0.8 to 1.2 s after the first unanswered one. An ICE restart does not interrupt a path that works.
    package static let silence = MediaTime.seconds(9)

    /// Time after which an answer means that the path works; nil while it works.
    private var awaitedSince: MediaTime?

    package init() {}

    /// Waits for an answer after `now`, because earlier ones belong to another ICE session.
    package mutating func expectAnswer(now: MediaTime) { awaitedSince = now }

    /// Returns what has changed.
    /// - Parameter lastConsent: time of the last answer; nil before the first.
    package mutating func look(lastConsent: MediaTime?, now: MediaTime) -> Change? {
        guard let lastConsent else { return nil }
        if let awaitedSince {
            guard lastConsent > awaitedSince else { return nil }
            self.awaitedSince = nil
            return .restored
        }
        guard now - lastConsent >= Self.silence else { return nil }
        awaitedSince = now
        return .lost
    }

    /// Returns the time of the next change without an answer.
    package func deadline(lastConsent: MediaTime?) -> MediaTime {
        guard awaitedSince == nil, let lastConsent else { return .never }
        return lastConsent + Self.silence
    }
}

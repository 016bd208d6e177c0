package import Signaling

/// What a session is found by: names are unique within an app, and upper and lower case do not differ (SES-2, SES-3).
package struct SessionKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Between an app's key and a name at the media engine. Neither holds control characters.
    private static let separator: Character = "\u{1F}"

    /// The app's key.
    package let app: String
    /// In lower case.
    package let name: String

    package init(app: String, name: String) throws(SignalingError) {
        // Some letters are longer in lower case than in upper.
        let lowered = name.lowercased()
        if let reason = NameRule.objection(to: name) ?? NameRule.objection(to: lowered) {
            throw SignalingError(.invalidSessionName, reason, field: "session")
        }
        self.app = app
        self.name = lowered
    }

    /// - Parameter engineName: as `engineName(standard:)` made it; nil where it did not.
    package init?(engineName: String, standard: String) {
        let parts = engineName.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.last else { return nil }
        try? self.init(app: parts.count == 2 ? String(parts[0]) : standard, name: String(name))
    }

    /// What the media engine calls the session: no two sessions share a name there.
    ///
    /// - Parameter standard: the default app, whose sessions go by their plain names.
    package func engineName(standard: String) -> String {
        app == standard ? name : app + String(Self.separator) + name
    }

    package static func < (a: SessionKey, b: SessionKey) -> Bool { (a.app, a.name) < (b.app, b.name) }

    package var description: String { "\(app)/\(name)" }
}

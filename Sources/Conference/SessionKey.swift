package import Signaling

/// Key of a session: names are unique within an app and not case-sensitive (SES-2, SES-3).
package struct SessionKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Separator between an app's key and a session name in the media engine. Neither can contain control characters.
    private static let separator: Character = "\u{1F}"

    /// The app's key.
    package let app: String
    /// In lower case.
    package let name: String

    package init(app: String, name: String) throws(SignalingError) {
        // Lower case can be longer than upper case for some letters.
        let lowered = name.lowercased()
        if let reason = NameRule.objection(to: name) ?? NameRule.objection(to: lowered) {
            throw SignalingError(.invalidSessionName, reason, field: "session")
        }
        self.app = app
        self.name = lowered
    }

    /// - Parameter engineName: name made by `engineName(standard:)`; the result is nil for other names.
    package init?(engineName: String, standard: String) {
        let parts = engineName.split(separator: Self.separator, maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.last else { return nil }
        try? self.init(app: parts.count == 2 ? String(parts[0]) : standard, name: String(name))
    }

    /// Returns the media engine's name of the session, which is unique across apps.
    ///
    /// - Parameter standard: the default app, whose sessions have no prefix.
    package func engineName(standard: String) -> String {
        app == standard ? name : app + String(Self.separator) + name
    }

    package static func < (a: SessionKey, b: SessionKey) -> Bool { (a.app, a.name) < (b.app, b.name) }

    package var description: String { "\(app)/\(name)" }
}

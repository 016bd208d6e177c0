/// Where a session is found: names are unique within an app (SES-3).
package struct SessionAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var app: String
    /// In lower case.
    package var name: SessionName

    package init(app: String, name: SessionName) {
        self.app = app
        self.name = name
    }

    package static func < (a: SessionAddress, b: SessionAddress) -> Bool {
        (a.app, a.name.rawValue) < (b.app, b.name.rawValue)
    }

    package var description: String { "\(app)/\(name)" }

    /// What the media engine calls the session. Names hold no control characters, so no two addresses share one.
    ///
    /// - Parameter standard: the default app, whose sessions go by their plain names.
    package func engineName(standard: String) -> String {
        app == standard ? name.rawValue : app + "\u{1F}" + name.rawValue
    }

    /// - Parameter engineName: as `engineName(standard:)` made it; nil where it did not.
    package init?(engineName: String, standard: String) {
        let parts = engineName.split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, let name = try? SessionName(String(last)) else { return nil }
        self.init(app: parts.count == 2 ? String(parts[0]) : standard, name: name)
    }
}

package import Signaling

/// What a session is found by: names are unique within an app, and upper and lower case do not differ (SES-2, SES-3).
package struct SessionKey: Hashable, Sendable, CustomStringConvertible {
    /// App of those who come without an app's token.
    package static let defaultApp = ""

    package let app: String
    /// In lower case.
    package let name: String

    package init(app: String, name: String) throws(SignalingError) {
        if let reason = NameRule.objection(to: name) {
            throw SignalingError(.invalidSessionName, reason, field: "session")
        }
        self.app = app
        self.name = name.lowercased()
    }

    /// The media engine's name of the session. No name holds the separator, so apps never meet.
    package var engineName: String { app == Self.defaultApp ? name : app + "\u{1F}" + name }

    package var description: String { app == Self.defaultApp ? name : "\(app)/\(name)" }
}

/// Key of a user in conversations: the identity of its tokens, within their app. Keys are compared by bytes, so texts
/// that are only canonically equivalent in Unicode are different users.
package struct UserKey: Hashable, Sendable, CustomStringConvertible {
    package let app: String
    /// 1 to 35 characters.
    package let id: String

    package init(app: String, id: String) {
        self.app = app
        self.id = id
    }

    package var description: String { app.isEmpty ? id : "\(app)/\(id)" }

    package static func == (a: UserKey, b: UserKey) -> Bool {
        a.id.utf8.elementsEqual(b.id.utf8) && a.app.utf8.elementsEqual(b.app.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in app.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0))
        for byte in id.utf8 { hasher.combine(byte) }
    }
}

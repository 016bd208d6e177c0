import Conference
import Hummingbird

extension Request {
    /// Returns the session of the path, in the app that the query names.
    ///
    /// - Parameter standard: app to use if the query names none.
    func address(_ context: ControlContext, standard: String) throws(Problem) -> SessionKey {
        try context.session.key(app: try app(standard: standard))
    }

    func app(standard: String) throws(Problem) -> String { try namedApp ?? standard }

    /// App that the query names; nil if it names none.
    var namedApp: String? {
        get throws(Problem) {
            guard let text = uri.queryParameters["app"] else { return nil }
            guard AppDirectory.isKey(text) else {
                throw Problem(.invalidField, "\"\(text)\" is not an app key", field: "app")
            }
            return String(text)
        }
    }
}

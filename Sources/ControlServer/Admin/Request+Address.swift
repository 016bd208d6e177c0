import Conference
import Hummingbird

extension Request {
    /// The session of the path, in the app of the query.
    ///
    /// - Parameter standard: the app where the query names none.
    func address(_ context: ControlContext, standard: String) throws(Problem) -> SessionKey {
        try context.session.key(app: try app(standard: standard))
    }

    func app(standard: String) throws(Problem) -> String { try namedApp ?? standard }

    /// The `app` of the query; nil where it names none.
    var namedApp: String? {
        get throws(Problem) {
            guard let text = uri.queryParameters["app"] else { return nil }
            guard AppDirectory.isKey(text) else {
                throw Problem(.invalidField, "\"\(text)\" is no app key", field: "app")
            }
            return String(text)
        }
    }
}

import NIOConcurrencyHelpers

/// Every route of a server, as it was added to the router: what the API's description is held against.
package final class RouteCatalogue: Sendable {
    /// What a request has to show.
    package enum Access: String, Sendable, Hashable {
        /// Nothing.
        case open
        /// The admin token.
        case admin
        /// A token that may publish, or view.
        case publish
        case view
        /// An app's key and secret.
        case app
        /// A session token, in the request or in its first message.
        case session
    }

    package struct Route: Sendable, Hashable {
        package var method: String
        /// With parameters as `{name}`.
        package var path: String
        package var access: Access

        package init(method: String, path: String, access: Access) {
            self.method = method
            // The router writes `:name`, also before a suffix.
            self.path = path.split(separator: "/", omittingEmptySubsequences: false)
                .map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }.joined(separator: "/")
            self.access = access
        }
    }

    private let state = NIOLockedValueBox<Set<Route>>([])

    package init() {}

    package var routes: Set<Route> { state.withLockedValue { $0 } }
    func add(_ route: Route) { state.withLockedValue { _ = $0.insert(route) } }
}

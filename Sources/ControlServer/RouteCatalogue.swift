import NIOConcurrencyHelpers

/// All routes of a server, as they were added to the router. A test compares the API description with them.
package final class RouteCatalogue: Sendable {
    /// Credentials that a request must carry.
    package enum Access: String, Sendable, Hashable {
        /// None.
        case open
        /// The admin token.
        case admin
        /// A token that allows publishing or, for `view`, subscribing.
        case publish
        case view
        /// An app's key and secret.
        case app
        /// A session token, in the request or in its first message.
        case session
    }

    package struct Route: Sendable, Hashable {
        package var method: String
        /// Path with parameters as `{name}`.
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

import Signaling

/// One request of a client in a session: its id, its sender, and the socket that gets the answer.
struct RequestCall {
    let id: UInt32
    let client: LiveConnection
    let socket: any ClientChannel
    /// Called when the answer has been sent.
    let answered: () -> Void
}

/// Handlers of requests in a session, by the type of the request.
struct RequestHandlers: Sendable {
    typealias Handler<Body: RequestBody> = @Sendable (SessionCore, Body, RequestCall) -> Void

    /// Handler of one type of requests.
    struct Row: Sendable {
        fileprivate let method: String
        /// `Handler` of the type with this method.
        fileprivate let handler: any Sendable

        init<Body: RequestBody>(_ type: Body.Type, _ handler: @escaping Handler<Body>) {
            method = Body.method
            self.handler = Typed(handler: handler)
        }
    }

    private struct Typed<Body: RequestBody>: Sendable {
        let handler: Handler<Body>
    }

    private let rows: [String: any Sendable]

    /// - Precondition: each type has one row.
    init(_ rows: [Row]) { self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.method, $0.handler) }) }

    subscript<Body: RequestBody>(type: Body.Type) -> Handler<Body>? { (rows[Body.method] as? Typed<Body>)?.handler }
}

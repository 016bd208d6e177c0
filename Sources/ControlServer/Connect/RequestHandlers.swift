import Signaling

/// One request of a client in a session: its id, its sender, and the socket that gets the answer.
struct RequestCall {
    let id: UInt32
    let client: LiveConnection
    let socket: any ClientChannel
}

/// Handlers of requests in a session, by the type of the request.
struct RequestHandlers: Sendable {
    typealias Handler<Body: RequestBody> = @Sendable (isolated LiveSession, Body, RequestCall) async -> Void

    private struct Row<Body: RequestBody>: Sendable {
        let handler: Handler<Body>
    }

    private var rows: [String: any Sendable] = [:]

    subscript<Body: RequestBody>(type: Body.Type) -> Handler<Body>? { (rows[Body.method] as? Row<Body>)?.handler }

    mutating func add<Body: RequestBody>(_ type: Body.Type, _ handler: @escaping Handler<Body>) {
        rows[Body.method] = Row(handler: handler)
    }
}

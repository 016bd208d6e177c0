import HTTPTypes
import Hummingbird
import NIOCore

/// Server-sent events of WHEP resources (draft-ietf-wish-whep, "Server Sent Events extension"): `POST` to the URL in the resource's `Link`
/// creates an event source, which `GET` reads.
struct WHEPEventRoutes {
    /// Relation of the `Link`.
    static let relation = "urn:ietf:params:whep:ext:core:server-sent-events"
    /// Query parameter of the `Link`: index of the video's media section in the answer, which `layers` events contain.
    static let section = "video"
    /// Index of the video's media section in the offers of most clients.
    private static let usualSection = 1
    /// Maximum number of names in one request.
    private static let maximumNames = 16
    /// Maximum time for one write; a client that does not read is then disconnected.
    private static let stall = TimeAmount.seconds(30)
    /// Time for the last write when the relay stops.
    private static let lastWrite = TimeAmount.seconds(2)

    let resource: WebRTCResource
    let sources: EventSources
    let bodies: OpenBodies
    let bodyBytes: Int

    /// Returns the value of the `Link` field that announces the extension.
    static func link(resource: String, query: String, section: Int?) -> String {
        let number = section.map { (query.isEmpty ? "?" : "&") + "\(Self.section)=\($0)" } ?? ""
        let events = ResourceEvent.allCases.map(\.rawValue).joined(separator: ",")
        return "<\(resource)/events\(query)\(number)>; rel=\"\(relation)\"; events=\"\(events)\""
    }

    /// - Parameters:
    ///   - table: table of routes that require tokens.
    ///   - open: table of routes that require none. The id of a source is unguessable, since browsers send no token with `EventSource`.
    func add(to table: RouteTable, open: RouteTable) {
        table.add("whep/:session/:stream/:id/events", [.post: make])
        open.add("whep/:session/:stream/:id/events/:source", [.get: read, .delete: delete])
    }

    @Sendable private func make(_ request: Request, _ context: ControlContext) async throws -> Response {
        guard !bodies.isDraining else { throw WebRTCExchange.draining }
        let target = try await resource.target(context)
        let names = try await request.json([String].self, limit: bodyBytes)
        let wanted = Set(names.prefix(Self.maximumNames).compactMap(ResourceEvent.init(rawValue:)))
        guard !wanted.isEmpty else {
            let known = ResourceEvent.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.invalidField, "the body must be an array of event names: \(known)", field: "events")
        }
        var section = Self.usualSection
        if let text = request.uri.queryParameters[Substring(Self.section)] {
            guard let number = Int(text), (0...255).contains(number) else {
                throw Problem(.invalidField, "\"\(text)\" is not a media section", field: Self.section)
            }
            section = number
        }
        let source = EventSource(
            session: target.session, stream: target.snapshot.stream, transport: target.id, wanted: wanted,
            section: section)
        try sources.add(source)
        return Response(
            status: .created,
            headers: [.location: "\(request.uri.path)/\(source.id)", .cacheControl: "no-store"])
    }

    /// Returns the source of the path if it belongs to the path's resource.
    private func source(_ context: ControlContext) throws(Problem) -> EventSource {
        guard let source = sources[context.parameters.get("source") ?? ""],
            source.transport.rawValue == context.parameters.get("id")
        else { throw Problem(.notFound, "there is no such event source") }
        return source
    }

    @Sendable private func delete(_ request: Request, _ context: ControlContext) async throws -> Response {
        sources.remove(try source(context))
        return Response(status: .ok)
    }

    @Sendable private func read(_ request: Request, _ context: ControlContext) async throws -> Response {
        guard !bodies.isDraining else { throw WebRTCExchange.draining }
        let source = try source(context)
        let fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        // The router writes the body for GET only.
        guard request.method == .get else { return Response(status: .ok, headers: fields) }
        guard let wakes = source.read() else { throw Problem(.notFound, "there is no such event source") }
        let channel = context.channel
        let body = ResponseBody { [bodies] writer in
            let close: @Sendable () -> Void = {
                source.end()
                // A client that reads nothing would otherwise keep the last write from ending.
                channel.eventLoop.scheduleTask(in: Self.lastWrite) { channel.close(promise: nil) }
            }
            if let id = bodies.add(close) {
                defer { bodies.remove(id) }
                for await _ in wakes {
                    let text = source.take()
                    guard !text.isEmpty else { continue }
                    let stall = channel.eventLoop.scheduleTask(in: Self.stall) { channel.close(promise: nil) }
                    defer { stall.cancel() }
                    try await writer.write(ByteBuffer(string: text))
                }
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: fields, body: body)
    }
}

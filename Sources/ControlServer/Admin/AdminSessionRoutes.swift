internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Signaling

/// `/v1/admin/sessions`: the live sessions, those in them, and what an operator may do to them.
struct AdminSessionRoutes {
    let door: any SessionsDoor
    /// The default app.
    let standard: String
    let configuration: ControlConfiguration
    let bodies: OpenBodies
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("sessions", [.get: list, .post: create])
        table.add("sessions/:session", [.get: show, .delete: end])
        table.add("sessions/:session/participants", [.get: participants])
        table.add("sessions/:session/participants/:participant", [.get: participant, .delete: remove])
        table.add("sessions/:session/participants/:participant/mute", [.post: muteParticipant])
        table.add("sessions/:session/streams", [.get: streams])
        table.add("sessions/:session/streams/:stream/mute", [.put: muteStream])
    }

    // MARK: reading

    @Sendable private func list(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let after = try paging.after.map(cursor)
        let app = try request.namedApp
        // One more than asked for tells whether there is a next page.
        let found = await door.sessions(app: app, after: after, limit: paging.limit + 1)
        let page = Array(found.prefix(paging.limit))
        let next = found.count > page.count ? page.last.map { "\($0.app)/\($0.name)" } : nil
        return try .json(SessionPage(sessions: page, next: next))
    }

    @Sendable private func show(_ request: Request, _ context: ControlContext) async throws -> Response {
        try .json(try await door.session(request.address(context, standard: standard)))
    }

    @Sendable private func participants(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let all = try await door.participants(of: request.address(context, standard: standard))
        let (items, next) = try paging.page(of: all) { $0.id.rawValue }
        return try .json(ParticipantPage(participants: items, next: next))
    }

    @Sendable private func participant(_ request: Request, _ context: ControlContext) async throws -> Response {
        let id = context.participant
        let all = try await door.participants(of: request.address(context, standard: standard))
        guard let user = all.first(where: { $0.id == id }) else {
            throw Problem(.unknownUser, "the session has no participant \"\(id)\"")
        }
        return try .json(user)
    }

    @Sendable private func streams(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let all = try await door.streams(of: request.address(context, standard: standard))
        let (items, next) = try paging.page(of: all) { $0.id.rawValue }
        return try .json(StreamPage(streams: items, next: next))
    }

    // MARK: acting

    @Sendable private func create(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(CreateSessionBody.self, limit: configuration.bodyBytes)
        guard !bodies.isDraining else { throw Problem(.draining, "the relay opens nothing new", retryAfter: 5) }
        if let app = body.app, !AppDirectory.isKey(app) {
            throw Problem(.invalidField, "\"\(app)\" is no app key", field: "app")
        }
        let address = SessionAddress(app: body.app ?? standard, name: try SessionName(body.name))
        let session = try await door.create(address, password: body.password)
        note("session created", address)
        let location = "/v1/admin/sessions/\(address.name.percentEncoded)?app=\(address.app)"
        return try .json(session, status: .created, fields: [.location: location])
    }

    @Sendable private func end(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        try await door.end(address)
        note("session ended", address)
        return Response(status: .noContent)
    }

    @Sendable private func remove(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        try await door.remove(user: context.participant, in: address)
        note("participant removed", address, ["connection": "\(context.participant)"])
        return Response(status: .noContent)
    }

    @Sendable private func muteParticipant(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        let body = try await request.json(MuteParticipantBody.self, limit: configuration.bodyBytes)
        try await door.mute(user: context.participant, kind: kind(body.kind), in: address)
        note("participant muted", address, ["connection": "\(context.participant)", "kind": "\(body.kind)"])
        return Response(status: .noContent)
    }

    @Sendable private func muteStream(_ request: Request, _ context: ControlContext) async throws -> Response {
        let address = try request.address(context, standard: standard)
        let stream = StreamID(rawValue: try context.stream.rawValue)
        let body = try await request.json(MuteBody.self, limit: configuration.bodyBytes)
        try await door.setMuted(body.muted, stream: stream, kind: kind(body.kind), in: address)
        note(
            body.muted ? "stream muted" : "stream unmuted", address, ["stream": "\(stream)", "kind": "\(body.kind)"])
        return Response(status: .noContent)
    }

    // MARK: parts of requests

    private func kind(_ text: String) throws(Problem) -> TrackKind {
        guard let kind = TrackKind(rawValue: text) else {
            throw Problem(.invalidField, "\"\(text)\" is not one of audio, video", field: "kind")
        }
        return kind
    }

    /// `app/session`, as `next` of a page has it.
    private func cursor(_ text: String) throws(Problem) -> SessionAddress {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let name = try? SessionName(String(parts[1])) else {
            throw Problem(.invalidField, "\"\(text)\" is no app/session", field: "after")
        }
        return SessionAddress(app: String(parts[0]), name: name)
    }

    /// What an operator did stands in the log.
    private func note(_ message: Logger.Message, _ address: SessionAddress, _ more: Logger.Metadata = [:]) {
        var metadata: Logger.Metadata = ["app": "\(address.app)", "session": "\(address.name)", "by": "admin"]
        metadata.merge(more) { $1 }
        logger.notice(message, metadata: metadata)
    }
}

extension ControlContext {
    /// The `{participant}` of the path.
    var participant: ConnectionID {
        let text = parameters.get("participant") ?? ""
        return ConnectionID(rawValue: text.removingPercentEncoding ?? text)
    }
}

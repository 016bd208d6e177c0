import Conference
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Signaling

/// `/v1/admin/sessions`: lists live sessions with their participants and streams, and carries out an operator's commands.
struct AdminSessionRoutes {
    let sessions: any SessionAdministration
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
        table.add("sessions/:session/participants/:participant/statistics", [.get: statistics])
        table.add("sessions/:session/participants/:participant/quality", [.get: quality])
        table.add("sessions/:session/participants/:participant/quality.csv", [.get: qualityTable])
        table.add("sessions/:session/streams", [.get: streams])
        table.add("sessions/:session/streams/:stream", [.delete: unpublish])
        table.add("sessions/:session/streams/:stream/mute", [.put: muteStream])
        table.add("sessions/:session/mute-all", [.put: muteAll])
        table.add("sessions/:session/share-lock", [.put: lockShare])
        table.add("sessions/:session/signals", [.post: signal])
    }

    // MARK: reading

    @Sendable private func list(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let after = try paging.after.map(cursor)
        let app = try request.namedApp
        // One more entry than requested shows whether there is a next page.
        let found = await sessions.sessions(app: app, after: after, limit: paging.limit + 1)
        let page = Array(found.prefix(paging.limit))
        let next = found.count > page.count ? page.last.map { "\($0.app)/\($0.name)" } : nil
        return try .json(SessionPage(sessions: page, next: next))
    }

    @Sendable private func show(_ request: Request, _ context: ControlContext) async throws -> Response {
        try .json(try await sessions.session(request.address(context, standard: standard)))
    }

    @Sendable private func participants(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let all = try await sessions.participants(of: request.address(context, standard: standard))
        let (items, next) = try paging.page(of: all) { $0.id.rawValue }
        return try .json(ParticipantPage(participants: items, next: next))
    }

    @Sendable private func participant(_ request: Request, _ context: ControlContext) async throws -> Response {
        let id = context.participant
        let all = try await sessions.participants(of: request.address(context, standard: standard))
        guard let user = all.first(where: { $0.id == id }) else {
            throw Problem(.unknownUser, "the session has no participant \"\(id)\"")
        }
        return try .json(user)
    }

    @Sendable private func statistics(_ request: Request, _ context: ControlContext) async throws -> Response {
        try .json(
            try await sessions.statistics(of: context.participant, in: request.address(context, standard: standard)))
    }

    @Sendable private func quality(_ request: Request, _ context: ControlContext) async throws -> Response {
        try .json(try await sessions.quality(of: context.participant, in: request.address(context, standard: standard)))
    }

    @Sendable private func qualityTable(_ request: Request, _ context: ControlContext) async throws -> Response {
        let quality = try await sessions.quality(
            of: context.participant, in: request.address(context, standard: standard))
        return .text(quality.csv, type: "text/csv; charset=utf-8; header=present")
    }

    @Sendable private func streams(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let all = try await sessions.streams(of: request.address(context, standard: standard))
        let (items, next) = try paging.page(of: all) { $0.id.rawValue }
        return try .json(StreamPage(streams: items, next: next))
    }

    // MARK: acting

    @Sendable private func create(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(CreateSessionBody.self, limit: configuration.bodyBytes)
        guard !bodies.isDraining else { throw Problem(.draining, "the relay is shutting down", retryAfter: 5) }
        if let app = body.app, !AppDirectory.isKey(app) {
            throw Problem(.invalidField, "\"\(app)\" is not an app key", field: "app")
        }
        let address = try SessionKey(app: body.app ?? standard, name: body.name)
        let session = try await sessions.create(
            address, password: body.password, requiresEncryption: body.requiresEncryption ?? false)
        note("session created", address)
        let location = "/v1/admin/sessions/\(StreamName.percentEncoded(address.name))?app=\(address.app)"
        return try .json(session, status: .created, fields: [.location: location])
    }

    @Sendable private func end(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await order(.end, request, context, "session ended")
    }

    @Sendable private func remove(_ request: Request, _ context: ControlContext) async throws -> Response {
        let id = context.participant
        return try await order(.remove(id), request, context, "participant removed", ["connection": "\(id)"])
    }

    @Sendable private func muteParticipant(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(MuteParticipantBody.self, limit: configuration.bodyBytes)
        let id = context.participant
        return try await order(
            .muteUser(id, kind(body.kind)), request, context, "participant muted",
            ["connection": "\(id)", "kind": "\(body.kind)"])
    }

    @Sendable private func muteStream(_ request: Request, _ context: ControlContext) async throws -> Response {
        let stream = StreamID(rawValue: try context.stream.rawValue)
        let body = try await request.json(MuteBody.self, limit: configuration.bodyBytes)
        return try await order(
            .setMuted(stream, kind(body.kind), body.muted), request, context,
            body.muted ? "stream muted" : "stream unmuted", ["stream": "\(stream)", "kind": "\(body.kind)"])
    }

    @Sendable private func unpublish(_ request: Request, _ context: ControlContext) async throws -> Response {
        let stream = StreamID(rawValue: try context.stream.rawValue)
        return try await order(.unpublish(stream), request, context, "stream ended", ["stream": "\(stream)"])
    }

    @Sendable private func muteAll(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(MuteAllBody.self, limit: configuration.bodyBytes)
        let excluded = (body.excluding ?? []).map { StreamID(rawValue: $0) }
        return try await order(
            body.muted ? .forceMuteAll(excluding: excluded) : .disableForceMute, request, context,
            body.muted ? "all muted" : "mute of all ended")
    }

    @Sendable private func lockShare(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(ShareLockBody.self, limit: configuration.bodyBytes)
        return try await order(
            .lockShare(body.locked), request, context, body.locked ? "sharing locked" : "sharing unlocked")
    }

    @Sendable private func signal(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(SignalBody.self, limit: configuration.bodyBytes)
        let receiver = body.to.map { ConnectionID(rawValue: $0) }
        return try await order(
            .signal(type: body.type, data: body.data ?? "", to: receiver), request, context, "signal sent",
            ["type": "\(body.type)", "to": "\(body.to ?? "all")"])
    }

    /// Sends a command to the session. Answers when it has been carried out.
    private func order(
        _ command: AdminCommand, _ request: Request, _ context: ControlContext, _ message: Logger.Message,
        _ metadata: Logger.Metadata = [:]
    ) async throws -> Response {
        let address = try request.address(context, standard: standard)
        try await sessions.order(command, in: address)
        note(message, address, metadata)
        return Response(status: .noContent)
    }

    // MARK: parts of requests

    private func kind(_ text: String) throws(Problem) -> TrackKind {
        guard let kind = TrackKind(rawValue: text) else {
            throw Problem(.invalidField, "\"\(text)\" is not one of audio, video", field: "kind")
        }
        return kind
    }

    /// Parses `app/session`, the form of `next` in a page.
    private func cursor(_ text: String) throws(Problem) -> SessionKey {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let key = try? SessionKey(app: String(parts[0]), name: String(parts[1])) else {
            throw Problem(.invalidField, "\"\(text)\" is not of the form app/session", field: "after")
        }
        return key
    }

    /// Logs an operator's command.
    private func note(_ message: Logger.Message, _ address: SessionKey, _ more: Logger.Metadata = [:]) {
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

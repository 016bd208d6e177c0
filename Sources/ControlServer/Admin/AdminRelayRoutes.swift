import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/admin/relay`, `/v1/admin/drain`, `/v1/admin/issues`: the relay as a whole.
struct AdminRelayRoutes {
    let parts: ControlParts
    let configuration: ControlConfiguration
    let bodies: OpenBodies

    func add(to table: RouteTable) {
        table.add("relay", [.get: relay])
        table.add("drain", [.post: drain])
        table.add("issues", [.get: issues])
        table.add("issues/:issue", [.get: issue])
    }

    @Sendable private func relay(_ request: Request, _ context: ControlContext) async throws -> Response {
        let gauges = await parts.sessions.gauges()
        return try .json(
            RelayAnswer(
                version: BuildInfo.version, isDraining: bodies.isDraining, sessions: gauges.sessions,
                participants: gauges.users.values.reduce(0, +), connections: gauges.connections,
                streams: gauges.streams, apps: parts.apps.keys, defaultApp: parts.apps.standard))
    }

    @Sendable private func drain(_ request: Request, _ context: ControlContext) async throws -> Response {
        let body = try await request.json(DrainBody.self, limit: configuration.bodyBytes)
        guard DrainOrder.range.contains(body.seconds) else {
            throw Problem(
                .invalidField,
                "\(body.seconds) is not \(DrainOrder.range.lowerBound) to \(DrainOrder.range.upperBound) seconds",
                field: "seconds")
        }
        if let url = body.url, !DrainOrder.isURL(url) {
            throw Problem(.invalidField, "not a ws:, wss:, http: or https: URL of at most 2,048 bytes", field: "url")
        }
        parts.drain.order(DrainOrder(seconds: body.seconds, url: body.url))
        return try .json(DrainAnswer(seconds: body.seconds, url: body.url), status: .accepted)
    }

    @Sendable private func issues(_ request: Request, _ context: ControlContext) async throws -> Response {
        let paging = try Paging(request)
        let found = try await parts.issues.issues(after: paging.after, limit: paging.limit + 1)
        let page = Array(found.prefix(paging.limit))
        return try .json(IssuePage(issues: page, next: found.count > page.count ? page.last?.id : nil))
    }

    @Sendable private func issue(_ request: Request, _ context: ControlContext) async throws -> Response {
        let issue = try await parts.issues.issue(context.parameters.get("issue") ?? "")
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: issue.bundle)))
    }
}

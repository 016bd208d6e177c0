import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Messaging
import NIOCore
import NIOFoundationCompat
import Persistence
import Signaling

/// `/v1/users/{user}`: exports or removes the stored data of a user.
struct UserRoutes {
    let hub: MessageHub
    /// The default app.
    let standard: String
    let logger: Logger

    func add(to table: RouteTable) {
        table.add("users/:user", [.delete: remove])
        table.add("users/:user/export", [.get: export])
    }

    private func user(_ request: Request, _ context: ControlContext) throws -> UserKey {
        let text = context.parameters.get("user") ?? ""
        return UserKey(app: try request.app(standard: standard), id: text.removingPercentEncoding ?? text)
    }

    @Sendable private func remove(_ request: Request, _ context: ControlContext) async throws -> Response {
        let user = try user(request, context)
        do {
            try await hub.remove(user)
        } catch {
            throw Problem(error)
        }
        logger.notice("user removed", metadata: ["app": "\(user.app)", "user": "\(user.id)", "by": "admin"])
        return Response(status: .noContent)
    }

    @Sendable private func export(_ request: Request, _ context: ControlContext) async throws -> Response {
        let user = try user(request, context)
        let database: MessageDatabase
        do {
            database = try hub.database()
        } catch {
            throw Problem(error)
        }
        var lines = UserExport(user, database)
        // An error before the first line can still be answered with its own status.
        let first: [UserExport.Line]
        do {
            first = try await next(&lines) ?? []
        } catch let failure as StorageFailure {
            throw Problem(failure.answer)
        }
        logger.notice("user exported", metadata: ["app": "\(user.app)", "user": "\(user.id)", "by": "admin"])
        let rest = lines
        let body = ResponseBody { writer in
            var lines = rest
            var page: [UserExport.Line]? = first
            while let text = page {
                if !text.isEmpty { try await writer.write(Self.text(text)) }
                // A body that breaks off has no last chunk, so the reader notices.
                page = try await next(&lines)
            }
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson", .cacheControl: "no-store"], body: body)
    }

    /// - Throws: `StorageFailure`; failures of the store are logged.
    private func next(_ lines: inout UserExport) async throws -> [UserExport.Line]? {
        do {
            return try await lines.next()
        } catch {
            if case StorageFailure.failed(let failure) = error { hub.complain(failure) }
            throw error
        }
    }

    private static func text(_ lines: [UserExport.Line]) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var buffer = ByteBuffer()
        for line in lines {
            buffer.writeBytes(try encoder.encode(line))
            buffer.writeInteger(UInt8(ascii: "\n"))
        }
        return buffer
    }
}

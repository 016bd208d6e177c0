import HTTPTypes
import Hummingbird

/// Page at `/`, operator view at `/admin`, and the files of both under `/page`. They contain no secrets; they request their data with a
/// token.
struct PageRoutes {
    /// Content security policy: the page loads and runs only its own files, no inline code and no text as code; no other page may frame it.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "media-src 'self' blob:",
        "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types millrace",
    ].joined(separator: "; ")

    func add(to table: RouteTable) {
        table.add("", [.get: { request, _ in try Self.answer(request, "index.html") }])
        table.add("admin", [.get: { request, _ in try Self.answer(request, "admin.html") }])
        // Both routes use the same parameter name, because the router allows one name per position in a path.
        table.add("page/:name", [.get: { try Self.answer($0, $1.parameters.get("name") ?? "") }])
        table.add(
            "page/:name/:file",
            [
                .get: { request, context in
                    let folder = context.parameters.get("name") ?? ""
                    return try Self.answer(request, "\(folder)/\(context.parameters.get("file") ?? "")")
                }
            ])
    }

    private static func answer(_ request: Request, _ path: String) throws -> Response {
        guard let file = PageFile.all[path] else { throw Problem(.notFound, "nothing is at \(request.uri.path)") }
        // The browser caches the file and revalidates it each time, because another version of the relay has another page.
        var fields: HTTPFields = [
            .eTag: file.entityTag, .cacheControl: "no-cache", .contentSecurityPolicy: policy,
            .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
            .permissionsPolicy: "camera=(self), microphone=(self), display-capture=(self), autoplay=(self)",
            .crossOriginOpenerPolicy: "same-origin",
        ]
        if let field = request.headers[.ifNoneMatch], file.isNamed(by: field) {
            return Response(status: .notModified, headers: fields)
        }
        fields[.contentType] = file.contentType
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: file.bytes))
    }
}

extension HTTPField.Name {
    /// W3C Referrer Policy, section 4.1.
    fileprivate static let referrerPolicy = Self("Referrer-Policy")!
    /// W3C Permissions Policy, section 5.1.
    fileprivate static let permissionsPolicy = Self("Permissions-Policy")!
    /// HTML standard, section 7.1.3.
    fileprivate static let crossOriginOpenerPolicy = Self("Cross-Origin-Opener-Policy")!
}

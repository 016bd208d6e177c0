import Foundation

/// Description of the API (OpenAPI 3.1), built from `APIOperation.all` and `APISchemas.all`.
package enum OpenAPIDocument {
    /// JSON with sorted keys.
    package static let bytes: [UInt8] = {
        // Strings, numbers and lists of them always encode.
        let data = try? JSONSerialization.data(
            withJSONObject: document, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
        return data.map { Array($0) } ?? []
    }()

    private static var document: [String: Any] {
        var paths: [String: [String: Any]] = [:]
        for operation in APIOperation.all {
            paths[operation.path, default: [:]][operation.method.lowercased()] = self.operation(operation)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Millrace", "version": BuildInfo.version,
                "description": "Sessions, media and operation of a relay. Errors are problem documents (RFC 9457).",
            ],
            "paths": paths,
            "components": ["schemas": schemas, "securitySchemes": securitySchemes],
        ]
    }

    private static func operation(_ operation: APIOperation) -> [String: Any] {
        var out: [String: Any] = [
            "summary": operation.summary, "tags": [operation.tag], "operationId": identifier(of: operation),
        ]
        let parameters = pathParameters(operation.path) + operation.query.map { parameter($0.name, "query", $0.about) }
        if !parameters.isEmpty { out["parameters"] = parameters }
        if let body = operation.body { out["requestBody"] = ["required": true, "content": content(body)] }
        var answer: [String: Any] = ["description": operation.answer == nil ? "Done" : "The answer"]
        if let content = operation.answer { answer["content"] = self.content(content) }
        out["responses"] = [
            String(operation.status): answer,
            "default": [
                "description": "A problem document; `code` names the error",
                "content": ["application/problem+json": ["schema": reference("Problem")]],
            ],
        ]
        switch operation.access {
        case .open: out["security"] = [[String: [String]]]()
        case .app: out["security"] = [["appSecret": [String]()]]
        case .admin: out["security"] = [["adminToken": [String]()]]
        case .publish: out["security"] = [["publishToken": [String]()]]
        case .view: out["security"] = [["viewToken": [String]()]]
        case .session: out["security"] = [["sessionToken": [String]()]]
        }
        return out
    }

    /// `GET /v1/admin/sessions/{session}` -> `get_v1_admin_sessions_session`.
    private static func identifier(of operation: APIOperation) -> String {
        ([operation.method.lowercased()] + words(operation.path)).joined(separator: "_")
    }

    private static func words(_ path: String) -> [String] {
        path.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func pathParameters(_ path: String) -> [[String: Any]] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            parameter(String(part.dropFirst().dropLast()), "path", nil)
        }
    }

    private static func parameter(_ name: String, _ location: String, _ about: String?) -> [String: Any] {
        var out: [String: Any] = ["name": name, "in": location, "schema": ["type": "string"]]
        if location == "path" { out["required"] = true }
        if let about { out["description"] = about }
        return out
    }

    private static func content(_ content: APIContent) -> [String: Any] {
        switch content {
        case .json(let name): ["application/json": ["schema": reference(name)]]
        case .type(let type): [type: [String: Any]()]
        }
    }

    private static func reference(_ name: String) -> [String: Any] { ["$ref": "#/components/schemas/\(name)"] }

    private static var schemas: [String: Any] {
        var out: [String: Any] = [:]
        for (name, fields) in APISchemas.all {
            var properties: [String: Any] = [:]
            var required: [String] = []
            for (field, type) in fields {
                let name = field.hasSuffix("?") ? String(field.dropLast()) : field
                if name == field { required.append(name) }
                properties[name] = schema(of: type)
            }
            out[name] = ["type": "object", "properties": properties, "required": required]
        }
        return out
    }

    private static func schema(of type: String) -> [String: Any] {
        if type.hasPrefix("[") {
            return ["type": "array", "items": schema(of: String(type.dropFirst().dropLast()))]
        }
        return type.first?.isUppercase == true ? reference(type) : ["type": type]
    }

    private static var securitySchemes: [String: Any] {
        func bearer(_ about: String) -> [String: Any] {
            ["type": "http", "scheme": "bearer", "description": about]
        }
        return [
            "adminToken": bearer("admin.token of the configuration"),
            "publishToken": bearer("whip.token of the configuration, or a session token that may publish"),
            "viewToken": bearer("whep.token of the configuration, or a session token"),
            "sessionToken": bearer("A session token (JWT) of the app"),
            "appSecret": ["type": "http", "scheme": "basic", "description": "An app's key and secret"],
        ]
    }
}

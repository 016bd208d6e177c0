import ControlServer
import Foundation
import Testing

@Suite("OpenAPI document")
struct OpenAPITests {
    @Test func describesEveryRouteAndNoOther() async throws {
        try await withDoubledSessions { _, http, server in
            let described = Set(
                APIOperation.all.map { RouteCatalogue.Route(method: $0.method, path: $0.path, access: $0.access) })
            #expect(described.count == APIOperation.all.count, "an operation stands twice")
            let routes = server.catalogue.routes
            for route in routes.subtracting(described) { Issue.record("not described: \(route)") }
            for route in described.subtracting(routes) { Issue.record("no such route: \(route)") }

            let answer = try await http.request("GET", "/v1/openapi.json")
            #expect(answer.status == 200 && answer.fields["content-type"] == "application/json")
            let document = try answer.json
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            for route in routes { #expect(paths[route.path]?[route.method.lowercased()] != nil, "\(route)") }
            #expect(paths.values.reduce(0) { $0 + $1.count } == routes.count)
        }
    }

    @Test func isSoundInItself() throws {
        let text = String(decoding: OpenAPIDocument.bytes, as: UTF8.self)
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any])
        #expect(document["openapi"] as? String == "3.1.0")
        let components = try #require(document["components"] as? [String: Any])
        let schemas = try #require(components["schemas"] as? [String: Any])
        let schemes = try #require(components["securitySchemes"] as? [String: Any])
        for match in text.matches(of: /#\/components\/schemas\/(\w+)/) {
            #expect(schemas[String(match.1)] != nil, "no schema \(match.1)")
        }
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var identifiers: Set<String> = []
        for (path, operations) in paths {
            for (method, operation) in operations {
                #expect(identifiers.insert(operation["operationId"] as? String ?? "").inserted, "\(method) \(path)")
                for scheme in (operation["security"] as? [[String: Any]] ?? []).flatMap(\.keys) {
                    #expect(schemes[scheme] != nil)
                }
                let parameters = operation["parameters"] as? [[String: Any]] ?? []
                let named = Set(
                    parameters.filter { $0["in"] as? String == "path" }.compactMap { $0["name"] as? String })
                #expect(named == Set(path.matches(of: /\{(\w+)\}/).map { String($0.1) }), "\(path)")
            }
        }
    }
}

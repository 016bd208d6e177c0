/// Method of a path in the API description.
package struct APIOperation: Sendable {
    package var method: String
    /// Path with parameters as `{name}`.
    package var path: String
    package var access: RouteCatalogue.Access
    /// Topic, for grouping.
    var tag: String
    var summary: String
    /// Parameters of the query: name and description.
    var query: [(name: String, about: String)] = []
    /// Content of the request.
    var body: APIContent?
    /// Status code on success.
    var status: Int
    var answer: APIContent?

    static func get(
        _ path: String, _ access: RouteCatalogue.Access, _ tag: String, _ summary: String,
        query: [(name: String, about: String)] = [], _ answer: APIContent? = nil, status: Int = 200
    ) -> APIOperation {
        APIOperation(
            method: "GET", path: path, access: access, tag: tag, summary: summary, query: query, status: status,
            answer: answer)
    }

    static func act(
        _ method: String, _ path: String, _ access: RouteCatalogue.Access, _ tag: String, _ summary: String,
        query: [(name: String, about: String)] = [], body: APIContent? = nil, status: Int = 204,
        _ answer: APIContent? = nil
    ) -> APIOperation {
        APIOperation(
            method: method, path: path, access: access, tag: tag, summary: summary, query: query, body: body,
            status: status, answer: answer)
    }
}

/// Content of a body.
enum APIContent: Sendable {
    /// A JSON object of this schema.
    case json(String)
    /// Other content of this media type.
    case type(String)
}

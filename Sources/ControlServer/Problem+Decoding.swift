extension Problem {
    /// Creates the answer for a JSON error: 400 if the body is not JSON, 422 with the field's path if a value does not fit.
    init(_ error: DecodingError) {
        func path(_ keys: [any CodingKey]) -> String {
            keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(.invalidField, "the field is missing", field: path(context.codingPath + [key]))
        case .typeMismatch(let type, let context):
            if context.codingPath.isEmpty {
                self.init(.invalidJSON, "the body must be a JSON \(type is [Any].Type ? "array" : "object")")
            } else {
                self.init(.invalidField, "expected \(Self.name(of: type))", field: path(context.codingPath))
            }
        case .valueNotFound(let type, let context):
            self.init(.invalidField, "expected \(Self.name(of: type)), got null", field: path(context.codingPath))
        case .dataCorrupted(let context):
            if context.codingPath.isEmpty {
                self.init(.invalidJSON, context.debugDescription)
            } else {
                self.init(.invalidField, context.debugDescription, field: path(context.codingPath))
            }
        @unknown default:
            self.init(.invalidJSON, "the body does not match the expected JSON")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number in range"
        case is any BinaryFloatingPoint.Type: "a number"
        case is [String: Any].Type: "an object"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}

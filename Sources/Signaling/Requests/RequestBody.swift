/// Parameters of one method, with its name and the type of its answer.
public protocol RequestBody: Hashable, Sendable, Codable {
    associatedtype Answer: Hashable & Sendable & Codable
    static var method: Method { get }
}

/// Empty answer of methods without a result: `{}`.
public struct Done: Hashable, Sendable, Codable {
    public init() {}
}

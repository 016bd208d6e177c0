/// The parameters of one method, with its name and the shape of its answer.
public protocol RequestBody: Hashable, Sendable, Codable {
    associatedtype Answer: Hashable & Sendable & Codable
    static var method: Method { get }
}

/// The answer of methods that have nothing to say but that they were done: `{}`.
public struct Done: Hashable, Sendable, Codable {
    public init() {}
}

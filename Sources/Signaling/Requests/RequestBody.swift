/// Parameters of one method, with its name, its permission and the type of its answer. `RequestTable` lists all of them.
public protocol RequestBody: Hashable, Sendable, Codable {
    associatedtype Answer: Hashable & Sendable & Codable = Done
    /// Name on the wire.
    static var method: String { get }
    static var permission: Permission { get }
    /// User that the request is about, if that user may send it for itself (`Permission.oneself`).
    var target: ConnectionID? { get }
}

extension RequestBody {
    public var method: String { Self.method }
    public var target: ConnectionID? { nil }
}

/// Request without parameters. On the wire, `params` may be missing and is ignored.
public protocol ParameterlessRequest: RequestBody {
    init()
}

/// Empty answer of methods without a result: `{}`.
public struct Done: Hashable, Sendable, Codable {
    public init() {}
}

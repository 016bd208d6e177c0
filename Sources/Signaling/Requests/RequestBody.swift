/// Parameters of one method, with its name, its permission and the type of its answer. `RequestTable` lists all of them.
public protocol RequestBody: Hashable, Sendable, Codable {
    associatedtype Answer: Hashable & Sendable & Codable = Done
    /// Name on the wire.
    static var method: String { get }
    static var permission: Permission { get }
    /// User that the request is about, if that user may send it for itself (`Permission.oneself`).
    var target: ConnectionID? { get }
    /// Whether only a relay that confirms that it runs the session may carry it out. False for a request that changes nothing that another
    /// home relay would have to know: it reads, keeps the client's own media and connection alive, or ends them.
    var needsTenure: Bool { get }
}

extension RequestBody {
    public var method: String { Self.method }
    public var target: ConnectionID? { nil }
    public var needsTenure: Bool { true }
}

/// Request without parameters. On the wire, `params` may be missing and is ignored.
public protocol ParameterlessRequest: RequestBody {
    init()
}

/// Empty answer of methods without a result: `{}`.
public struct Done: Hashable, Sendable, Codable {
    public init() {}
}

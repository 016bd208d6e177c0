import MediaBase
import Signaling

/// Sender of a request, with the time of the request.
struct RequestSender: Sendable {
    let id: ConnectionID
    let now: MediaTime
    /// Milliseconds since 1970.
    let wallClock: Int64
}

/// Row of the table of rules: binds a request type to the rule that carries it out.
struct Rule<Body: RequestBody>: Sendable {
    typealias Perform = @Sendable (inout Conference, Body, RequestSender) throws(SignalingError) -> Body.Answer

    /// Event to a sender with permission if the request fails, in addition to the error answer (SUB-1).
    let failure: SubsessionsChange?
    /// Nil: the rules only check the permission, and the caller carries out the request.
    let perform: Perform?
}

/// Rules of a session's requests, by the type of the request.
struct RuleTable: Sendable {
    private var rules: [String: any Sendable] = [:]

    subscript<Body: RequestBody>(type: Body.Type) -> Rule<Body>? { rules[Body.method] as? Rule<Body> }

    /// Adds a request with a result.
    mutating func add<Body: RequestBody>(
        answering type: Body.Type, failure: SubsessionsChange? = nil, _ perform: @escaping Rule<Body>.Perform
    ) {
        rules[Body.method] = Rule(failure: failure, perform: perform)
    }

    /// Adds a request that the caller carries out if its sender has the permission.
    mutating func add<Body: RequestBody>(permissionOf type: Body.Type) {
        rules[Body.method] = Rule<Body>(failure: nil, perform: nil)
    }

    /// Adds a request without a result.
    mutating func add<Body: RequestBody>(
        _ type: Body.Type, failure: SubsessionsChange? = nil,
        _ perform: @escaping @Sendable (inout Conference, Body, RequestSender) throws(SignalingError) -> Void
    ) where Body.Answer == Done {
        rules[Body.method] = Rule<Body>(failure: failure) { (conference, request, sender) throws(SignalingError) in
            try perform(&conference, request, sender)
            return Done()
        }
    }
}

/// Id of a help request.
public struct HelpRequestID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
}

/// Asks the managers to join the sender's subsession. The result follows once, as the event `helpResult`.
public struct RequestHelpRequest: ParameterlessRequest {
    public static let method = "requestHelp"
    public static let permission: Permission = .all
    public init() {}

    public struct Answer: Hashable, Sendable, Codable {
        /// Id of the request. While a request is open, further ones return its id.
        public var request: HelpRequestID
        public init(request: HelpRequestID) { self.request = request }
    }
}

/// Answers a `helpRequested` event. Only for managers.
public struct AnswerHelpRequest: RequestBody {
    public static let method = "answerHelp"
    public static let permission: Permission = [.host, .manager]
    public var request: HelpRequestID
    /// Whether the manager accepts. If so, it moves to the subsession of the user who asked.
    public var isAccepted: Bool
    public init(request: HelpRequestID, isAccepted: Bool) {
        self.request = request
        self.isAccepted = isAccepted
    }
}

/// A user in a subsession asks the managers for help.
public struct HelpRequested: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public var user: ConnectionID
    public var userName: String
    public var subsession: SubsessionID
    public var subsessionName: String

    public init(
        request: HelpRequestID, user: ConnectionID, userName: String, subsession: SubsessionID, subsessionName: String
    ) {
        self.request = request
        self.user = user
        self.userName = userName
        self.subsession = subsession
        self.subsessionName = subsessionName
    }
}

/// A help request has ended: another manager accepted it, it timed out, or the user who asked is gone.
public struct HelpEnded: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public init(request: HelpRequestID) { self.request = request }
}

/// Result of a help request.
public enum HelpResult: String, Hashable, Sendable, Codable, CaseIterable {
    /// A manager was available and joins the subsession.
    case idle
    /// No manager was available: all are in subsessions, or too many requests are open.
    case busy
    /// All managers ignored the request, or none answered within a minute.
    case ignored
    /// A manager is already in the same subsession.
    case hostAlreadyInSubsession
}

/// Result of the receiver's own help request.
public struct HelpResulted: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public var result: HelpResult
    public init(request: HelpRequestID, result: HelpResult) {
        self.request = request
        self.result = result
    }
}

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

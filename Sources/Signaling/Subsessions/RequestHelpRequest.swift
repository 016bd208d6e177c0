/// Asks the managers into the subsession that one is in. The result comes as the event `helpResult`, once.
public struct RequestHelpRequest: RequestBody {
    public static let method = Method.requestHelp
    public init() {}

    public struct Answer: Hashable, Sendable, Codable {
        /// The same again while it is open.
        public var request: HelpRequestID
        public init(request: HelpRequestID) { self.request = request }
    }
}

/// A manager's answer to `helpRequested`.
public struct AnswerHelpRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.answerHelp
    public var request: HelpRequestID
    /// True moves the manager into the subsession of who asked.
    public var isAccepted: Bool
    public init(request: HelpRequestID, isAccepted: Bool) {
        self.request = request
        self.isAccepted = isAccepted
    }
}

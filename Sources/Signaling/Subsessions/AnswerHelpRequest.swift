/// Answers a `helpRequested` event. Only for managers.
public struct AnswerHelpRequest: RequestBody {
    public typealias Answer = Done
    public static let method = Method.answerHelp
    public var request: HelpRequestID
    /// Whether the manager accepts. If so, it moves to the subsession of the user who asked.
    public var isAccepted: Bool
    public init(request: HelpRequestID, isAccepted: Bool) {
        self.request = request
        self.isAccepted = isAccepted
    }
}

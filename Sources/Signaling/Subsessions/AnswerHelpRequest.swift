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

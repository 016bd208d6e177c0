/// Result of the receiver's own help request.
public struct HelpResulted: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public var result: HelpResult
    public init(request: HelpRequestID, result: HelpResult) {
        self.request = request
        self.result = result
    }
}

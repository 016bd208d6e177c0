/// A help request has ended: another manager accepted it, it timed out, or the user who asked is gone.
public struct HelpEnded: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public init(request: HelpRequestID) { self.request = request }
}

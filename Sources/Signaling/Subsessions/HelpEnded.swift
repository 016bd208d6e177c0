/// A request for help needs no answer any more: another manager answered it, its time is over, or who asked is gone.
public struct HelpEnded: Hashable, Sendable, Codable {
    public var request: HelpRequestID
    public init(request: HelpRequestID) { self.request = request }
}

/// Resumes a lost connection on a new WebSocket, in place of `join`. The missed events follow the answer, in order.
public struct ResumeRequest: RequestBody {
    public static let method = "resume"
    public static let permission: Permission = .resumeToken

    public var version: Int
    public var resumeToken: String
    /// Number of the last event that the client received; 0 if none.
    public var lastEvent: UInt64

    public init(version: Int = SignalingProtocol.version, resumeToken: String, lastEvent: UInt64) {
        self.version = version
        self.resumeToken = resumeToken
        self.lastEvent = lastEvent
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var connection: ConnectionID
        /// Number of missed events that follow.
        public var missed: Int
        /// The peer connection no longer exists at the relay, because it did not reconnect in time: the client must
        /// publish or subscribe again.
        public var publishLost: Bool
        public var subscribeLost: Bool

        public init(connection: ConnectionID, missed: Int, publishLost: Bool = false, subscribeLost: Bool = false) {
            self.connection = connection
            self.missed = missed
            self.publishLost = publishLost
            self.subscribeLost = subscribeLost
        }
    }
}

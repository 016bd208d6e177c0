/// Takes up a connection that was lost, on a new WebSocket, in place of `join`. Missed events follow the answer, in order.
public struct ResumeRequest: RequestBody {
    public static let method = Method.resume

    public var version: Int
    public var resumeToken: String
    /// Number of the last event that the client has seen; 0 before the first.
    public var lastEvent: UInt64

    public init(version: Int = SignalingProtocol.version, resumeToken: String, lastEvent: UInt64) {
        self.version = version
        self.resumeToken = resumeToken
        self.lastEvent = lastEvent
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var connection: ConnectionID
        /// Events that follow at once because they were missed.
        public var missed: Int
        /// The client's peer connections are gone at the relay (they had to reconnect in less time): publish and subscribe anew.
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

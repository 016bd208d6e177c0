/// Resumes a lost connection on a new WebSocket, in place of `join`. The missed events follow the answer, in order.
public struct ResumeRequest: RequestBody {
    public static let method = "resume"
    public static let permission: Permission = .resumeToken
    /// `lastEvent` of a client that has lost its connection before it had the whole of a snapshot: larger than the number of any event, and exact
    /// in JavaScript.
    public static let withoutState: UInt64 = (1 << 53) - 1

    public var version: Int
    public var resumeToken: String
    /// Number of the last event that the client received; 0 if none.
    public var lastEvent: UInt64
    /// Whether the client takes a snapshot of the session's state in place of missed events that the relay does not have; nil for false.
    public var snapshots: Bool?
    /// Revision of the newest offer that the client has received on its present subscribe peer connection; nil: it has none, or does not continue it
    /// with a snapshot.
    public var offer: Int?

    public init(
        version: Int = SignalingProtocol.version, resumeToken: String, lastEvent: UInt64, snapshots: Bool? = nil,
        offer: Int? = nil
    ) {
        self.version = version
        self.resumeToken = resumeToken
        self.lastEvent = lastEvent
        self.snapshots = snapshots
        self.offer = offer
    }

    public struct Answer: Hashable, Sendable, Codable {
        public var connection: ConnectionID
        /// Number of missed events that follow.
        public var missed: Int
        /// The peer connection no longer exists at the relay, because it did not reconnect in time: the client must
        /// publish or subscribe again.
        public var publishLost: Bool
        public var subscribeLost: Bool
        /// State of the session, as in the answer to `join`. It replaces all that the client knows, `missed` is 0, and the next event has number 1.
        public var snapshot: JoinAnswer?
        /// With a snapshot, if the subscribe peer connection continues: streams with subscriptions that continue. The relay has no others.
        public var subscriptions: [StreamID]?

        public init(
            connection: ConnectionID, missed: Int, publishLost: Bool = false, subscribeLost: Bool = false,
            snapshot: JoinAnswer? = nil, subscriptions: [StreamID]? = nil
        ) {
            self.connection = connection
            self.missed = missed
            self.publishLost = publishLost
            self.subscribeLost = subscribeLost
            self.snapshot = snapshot
            self.subscriptions = subscriptions
        }
    }
}

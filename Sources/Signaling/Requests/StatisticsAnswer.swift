/// Statistics of one connection's media at the relay.
public struct StatisticsAnswer: Hashable, Sendable, Codable {
    /// Statistics of one track in one direction.
    public struct Track: Hashable, Sendable, Codable {
        public var stream: StreamID
        public var kind: TrackKind
        public var packets: UInt64
        public var bytes: UInt64
        public var lost: Int64
        /// Recent bit rate, bits per second.
        public var bitrate: Int
        /// Interarrival jitter in milliseconds (RFC 3550 section 6.4.1).
        public var jitter: Double?
        /// Encoding that is forwarded, for subscribed video.
        public var encoding: String?
        public var temporalLayer: Int?
        public var isPaused: Bool?
        public var width: Int?
        public var height: Int?

        public init(
            stream: StreamID, kind: TrackKind, packets: UInt64, bytes: UInt64, lost: Int64, bitrate: Int,
            jitter: Double? = nil, encoding: String? = nil, temporalLayer: Int? = nil, isPaused: Bool? = nil,
            width: Int? = nil, height: Int? = nil
        ) {
            self.stream = stream
            self.kind = kind
            self.packets = packets
            self.bytes = bytes
            self.lost = lost
            self.bitrate = bitrate
            self.jitter = jitter
            self.encoding = encoding
            self.temporalLayer = temporalLayer
            self.isPaused = isPaused
            self.width = width
            self.height = height
        }
    }

    public var published: [Track]
    public var subscribed: [Track]
    /// Estimated bandwidth of the path to the client, bits per second; nil if it is not measured.
    public var availableBitrate: Int?
    /// Round-trip time of the subscribe peer connection in milliseconds.
    public var roundTrip: Double?
    /// Packets for the client that the relay's host could not send, by cause; nil if there are none.
    public var unsent: [String: UInt64]?

    public init(
        published: [Track] = [], subscribed: [Track] = [], availableBitrate: Int? = nil, roundTrip: Double? = nil,
        unsent: [String: UInt64]? = nil
    ) {
        self.published = published
        self.subscribed = subscribed
        self.availableBitrate = availableBitrate
        self.roundTrip = roundTrip
        self.unsent = unsent
    }
}

/// Leaves the session. The relay closes the WebSocket after its answer.
public struct LeaveRequest: RequestBody {
    public static let method = "leave"
    public static let permission: Permission = .all
    /// Ends the session for all users. Only for the host.
    public var endForAll: Bool
    public var needsTenure: Bool { endForAll }
    public init(endForAll: Bool = false) { self.endForAll = endForAll }
}

/// Keeps the connection alive. The answer can be used to measure the round-trip time.
public struct PingRequest: ParameterlessRequest {
    public static let method = "ping"
    public static let permission: Permission = .all
    public var needsTenure: Bool { false }
    public init() {}
}

/// Sends a signal to one connection, or to all including the sender.
public struct SignalRequest: RequestBody {
    public static let method = "signal"
    public static let permission: Permission = .all
    public static let maximumTypeCharacters = 128
    public static let maximumDataBytes = 8 * 1_024

    /// At most 128 characters out of `A-Z a-z 0-9 - _ ~`.
    public var type: String
    /// At most 8 KiB of UTF-8.
    public var data: String
    /// Receiver; nil for all connections.
    public var to: ConnectionID?

    public init(type: String, data: String = "", to: ConnectionID? = nil) {
        self.type = type
        self.data = data
        self.to = to
    }

    /// Validation error, or nil if the request is valid. The relay uses the same check.
    public var objection: SignalingError? {
        let isAllowed = type.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"): true
            default: false
            }
        }
        guard isAllowed, type.utf8.count <= Self.maximumTypeCharacters else {
            return SignalingError(
                .invalidSignalType, "a type is at most 128 characters out of A-Z a-z 0-9 - _ ~", field: "type")
        }
        guard data.utf8.count <= Self.maximumDataBytes else {
            return SignalingError(
                .signalDataTooLong,
                "the data has \(data.utf8.count) bytes, at most \(Self.maximumDataBytes) are allowed",
                field: "data")
        }
        return nil
    }
}

/// Requests the relay's statistics of the participant's media.
public struct StatisticsRequest: ParameterlessRequest {
    public typealias Answer = StatisticsAnswer
    public static let method = "statistics"
    public static let permission: Permission = .all
    public var needsTenure: Bool { false }
    public init() {}
}

/// Reports a problem: the relay stores its diagnostic data about this connection.
public struct ReportIssueRequest: RequestBody {
    public static let method = "reportIssue"
    public static let permission: Permission = .all
    /// The user's description, at most 2,000 characters.
    public var note: String?
    public init(note: String? = nil) { self.note = note }

    public struct Answer: Hashable, Sendable, Codable {
        /// Id with which the operator reads the report.
        public var issue: String
        public init(issue: String) { self.issue = issue }
    }
}

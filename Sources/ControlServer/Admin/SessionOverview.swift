package import Signaling

/// Session as an operator sees it in a list.
package struct SessionOverview: Sendable, Hashable, Codable {
    package var app: String
    package var name: String
    /// Id of this instance of the session; nil if it has media but no participants of the control protocol.
    package var id: SessionID?
    /// Milliseconds since 1970.
    package var createdAt: Int64?
    package var participants: Int
    package var streams: Int
    package var hasPassword: Bool
    package var requiresEncryption: Bool
    package var isMuteForced: Bool
    package var isShareLocked: Bool
    package var host: ConnectionID?
    package var isChatAllowed: Bool
    package var subsessionStatus: SubsessionStatus
    /// Subsessions with their participants.
    package var subsessions: [SubsessionInfo]

    package init(
        app: String, name: String, id: SessionID? = nil, createdAt: Int64? = nil, participants: Int, streams: Int,
        hasPassword: Bool = false, requiresEncryption: Bool = false, isMuteForced: Bool = false,
        isShareLocked: Bool = false, host: ConnectionID? = nil,
        isChatAllowed: Bool = true, subsessionStatus: SubsessionStatus = .none, subsessions: [SubsessionInfo] = []
    ) {
        self.app = app
        self.name = name
        self.id = id
        self.createdAt = createdAt
        self.participants = participants
        self.streams = streams
        self.hasPassword = hasPassword
        self.requiresEncryption = requiresEncryption
        self.isMuteForced = isMuteForced
        self.isShareLocked = isShareLocked
        self.host = host
        self.isChatAllowed = isChatAllowed
        self.subsessionStatus = subsessionStatus
        self.subsessions = subsessions
    }
}

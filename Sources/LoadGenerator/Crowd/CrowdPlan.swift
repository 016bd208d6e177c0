import ControlServer
package import MediaBase

/// Settings of a run with participants of the control protocol: how many join, how fast, and how many signals they send to each
/// other. Without media, except if they move into subsessions.
package struct CrowdPlan: Sendable, Equatable {
    package static let maximumParticipants = 20_000
    package static let maximumSignals = 100_000.0

    /// The relay's HTTP address.
    package var address: String
    package var sessions: Int
    /// Participants in each session.
    package var participants: Int
    /// Time over which all of them join.
    package var ramp: MediaTime
    /// Time during which signals are sent.
    package var duration: MediaTime
    /// Signals a second in total; each goes to all participants of its session.
    package var signals: Double
    package var app: String
    package var secret: String
    /// Maximum join time, for the 99th percentile.
    package var maxJoinTime: MediaTime?
    /// Subsessions of each session. If there are any, all participants publish audio and move; 0: none.
    package var subsessions = 0
    /// Numeric address of this host to which the relay sends media.
    package var localAddress = "127.0.0.1"

    /// - Parameters:
    ///   - app: key of the app; nil: the built-in app of a relay that runs with `--dev`.
    /// - Throws: `LoadError.invalidSetting`.
    package init(
        address: String, sessions: Int, participants: Int, ramp: Double, duration: Double, signals: Double,
        app: String?, secret: String?, maxJoinTime: Double?, subsessions: Int = 0, localAddress: String = "127.0.0.1"
    ) throws(LoadError) {
        guard sessions >= 1, participants >= 1, sessions <= Self.maximumParticipants,
            participants <= Self.maximumParticipants, sessions * participants <= Self.maximumParticipants
        else {
            throw .invalidSetting("participants", reason: "1 to \(Self.maximumParticipants) over all sessions")
        }
        guard (0...Self.maximumSignals).contains(signals) else {
            throw .invalidSetting("signals", reason: "0 to \(Int(Self.maximumSignals)) a second")
        }
        guard (0...86_400).contains(ramp) else { throw .invalidSetting("ramp", reason: "0 to 86400 seconds") }
        guard (0...86_400).contains(duration) else { throw .invalidSetting("duration", reason: "0 to 86400 seconds") }
        guard (app == nil) == (secret == nil) else {
            throw .invalidSetting(app == nil ? "app" : "secret", reason: "an app's key and its secret go together")
        }
        if let maxJoinTime, maxJoinTime < 0 || !maxJoinTime.isFinite {
            throw .invalidSetting("max-join-time", reason: "is negative")
        }
        guard (0...50).contains(subsessions), subsessions == 0 || subsessions < participants else {
            throw .invalidSetting("subsessions", reason: "0 to 50, and fewer than participants")
        }
        self.subsessions = subsessions
        self.localAddress = localAddress
        self.address = address
        self.sessions = sessions
        self.participants = participants
        self.ramp = .seconds(ramp)
        self.duration = .seconds(duration)
        self.signals = signals
        self.app = app ?? AppDirectory.development
        self.secret = secret ?? AppDirectory.developmentSecret
        self.maxJoinTime = maxJoinTime.map { .microseconds(Int64($0 * 1_000)) }
    }

    package var total: Int { sessions * participants }
    /// Deliveries a second. Each signal goes to every participant of its session, including the sender.
    package var deliveries: Double { signals * Double(participants) }
}

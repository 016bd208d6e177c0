import ControlServer
package import MediaBase

/// Settings of a run with participants of the control protocol: how many join, how fast, and how many signals they send to each
/// other. Without media, except if they move into subsessions.
package struct CrowdPlan: Sendable, Equatable {
    private static let maximumParticipants = 20_000

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
    /// Maximum join time in milliseconds, for the 99th percentile.
    package var maxJoinTime: Double?
    /// Subsessions of each session. If there are any, all participants publish audio and move; 0: none.
    package var subsessions = 0
    /// Numeric address of this host to which the relay sends media.
    package var localAddress = "127.0.0.1"

    /// - Parameter app: key of the app; nil: the built-in app of a relay that runs with `--dev`.
    package init(
        address: String, sessions: Int, participants: Int, ramp: Double, duration: Double, signals: Double,
        app: String?, secret: String?, maxJoinTime: Double?, subsessions: Int = 0, localAddress: String = "127.0.0.1"
    ) throws(LoadError) {
        let most = Self.maximumParticipants
        try LoadError.check(
            (1...most).contains(sessions) && (1...most).contains(participants) && sessions * participants <= most,
            "participants", "1 to \(most) over all sessions")
        try LoadError.check((0...100_000).contains(signals), "signals", "0 to 100000 a second")
        try LoadError.check((0...86_400).contains(ramp), "ramp", "0 to 86400 seconds")
        try LoadError.check((0...86_400).contains(duration), "duration", "0 to 86400 seconds")
        try LoadError.check(
            (app == nil) == (secret == nil), app == nil ? "app" : "secret", "an app's key and its secret go together")
        try LoadError.check(maxJoinTime.map { $0 >= 0 && $0.isFinite } ?? true, "max-join-time", "is negative")
        try LoadError.check(
            (0...50).contains(subsessions) && (subsessions == 0 || subsessions < participants), "subsessions",
            "0 to 50, and fewer than participants")
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
        self.maxJoinTime = maxJoinTime
    }

    package var total: Int { sessions * participants }
}

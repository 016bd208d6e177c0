import Conference
import ControlServer
import NIOConcurrencyHelpers
import Signaling

/// A test double of the sessions that records the requests of the admin API.
final class SessionsDouble: SessionAdministration {
    struct Session: Sendable {
        var users: [UserInfo] = []
        var streams: [StreamInfo] = []
        /// Quality of each of the users.
        var quality = QualityAnswer()
    }

    struct State: Sendable {
        var sessions: [SessionKey: Session] = [:]
        /// The requested operations as text.
        var deeds: [String] = []
        var gauges = SessionGauges()
        /// Seconds announced by each drain.
        var drainSeconds: [Int] = []
    }

    let state = NIOLockedValueBox(State())
    static let live = PushID(rawValue: "live1")

    var deeds: [String] { state.withLockedValue { $0.deeds } }

    /// Adds a session with `users` users named `c0`, `c1` ... that publish one stream each, named `s0`, `s1` ...
    func add(_ name: String, app: String = "shop", users: Int = 0) throws {
        let address = try SessionKey(app: app, name: name)
        var session = Session()
        for number in 0..<users {
            let id = ConnectionID(rawValue: "c\(number)")
            session.users.append(UserInfo(id: id, name: "User \(number)", joinedAt: Int64(number)))
            session.streams.append(
                StreamInfo(
                    id: StreamID(rawValue: "s\(number)"), connection: id, name: "camera", hasAudio: true,
                    hasVideo: true,
                    width: 640, height: 360, createdAt: Int64(number)))
        }
        state.withLockedValue { $0.sessions[address] = session }
    }

    /// Sets the quality of all users of a session.
    func set(_ quality: QualityAnswer, in name: String, app: String = "shop") throws {
        let address = try SessionKey(app: app, name: name)
        state.withLockedValue { $0.sessions[address]?.quality = quality }
    }

    private func find(_ address: SessionKey) throws(SignalingError) -> Session {
        guard let session = state.withLockedValue({ $0.sessions[address] }) else {
            throw SignalingError(.unknownSession)
        }
        return session
    }

    private func overview(_ address: SessionKey, _ session: Session) -> SessionOverview {
        SessionOverview(
            app: address.app, name: address.name, id: SessionID(rawValue: "id"), createdAt: 1,
            participants: session.users.count, streams: session.streams.count)
    }

    private func did(_ deed: String) { state.withLockedValue { $0.deeds.append(deed) } }

    func sessions(app: String?, after: SessionKey?, limit: Int) async -> [SessionOverview] {
        let all = state.withLockedValue { $0.sessions }.sorted { $0.key < $1.key }
        return all.filter { address, _ in
            (app ?? address.app) == address.app && (after.map { $0 < address } ?? true)
        }.prefix(limit).map(overview)
    }

    func session(_ address: SessionKey) async throws(SignalingError) -> SessionOverview {
        overview(address, try find(address))
    }

    func participants(of address: SessionKey) async throws(SignalingError) -> [UserInfo] {
        try find(address).users
    }

    func statistics(of user: ConnectionID, in address: SessionKey) async throws(SignalingError) -> StatisticsAnswer {
        guard try find(address).users.contains(where: { $0.id == user }) else { throw SignalingError(.unknownUser) }
        return StatisticsAnswer(roundTrip: 1.5)
    }

    func quality(of user: ConnectionID, in address: SessionKey) async throws(SignalingError) -> QualityAnswer {
        let session = try find(address)
        guard session.users.contains(where: { $0.id == user }) else { throw SignalingError(.unknownUser) }
        return session.quality
    }

    func streams(of address: SessionKey) async throws(SignalingError) -> [StreamInfo] { try find(address).streams }

    func create(
        _ address: SessionKey, password: String?, requiresEncryption: Bool
    ) async throws(SignalingError) -> SessionOverview {
        did("create \(address) \(password ?? "-")")
        return state.withLockedValue { state in
            let session = state.sessions[address, default: Session()]
            state.sessions[address] = session
            return overview(address, session)
        }
    }

    func order(_ command: AdminCommand, in address: SessionKey) async throws(SignalingError) {
        let session = try find(address)
        func require(_ user: ConnectionID) throws(SignalingError) {
            guard session.users.contains(where: { $0.id == user }) else { throw SignalingError(.unknownUser) }
        }
        func require(_ stream: StreamID) throws(SignalingError) {
            guard session.streams.contains(where: { $0.id == stream }) else { throw SignalingError(.unknownStream) }
        }
        switch command {
        case .setMuted(let stream, let kind, let isMuted):
            try require(stream)
            did("\(isMuted ? "mute" : "unmute") \(address) \(stream) \(kind.rawValue)")
        case .muteUser(let user, let kind):
            try require(user)
            did("mute \(address) \(user) \(kind.rawValue)")
        case .forceMuteAll(let excluding): did("mute all \(address) \(excluding.map(\.rawValue))")
        case .disableForceMute: did("unmute all \(address)")
        case .lockShare(let isLocked): did("\(isLocked ? "lock" : "unlock") \(address)")
        case .unpublish(let stream):
            try require(stream)
            did("unpublish \(address) \(stream)")
        case .remove(let user):
            try require(user)
            did("remove \(address) \(user)")
        case .signal(let type, let data, let to):
            if let to { try require(to) }
            did("signal \(address) \(type) \(data) \(to?.rawValue ?? "-")")
        case .drain: did("drain \(address)")
        case .end: did("end \(address)")
        }
    }

    func pushes(of address: SessionKey) async throws(SignalingError) -> [SessionPushAnswer] {
        try find(address).streams.map { SessionPushAnswer(id: Self.live, stream: $0.id, isLive: true) }
    }

    func startPush(
        _ request: StartPushRequest, allowsHTTP: Bool, in address: SessionKey
    ) async throws(SignalingError) -> PushID {
        let known = try find(address).streams
        guard request.stream.map({ id in known.contains { $0.id == id } }) ?? true else {
            throw SignalingError(.unknownStream)
        }
        did(
            "live \(address) \(request.stream?.rawValue ?? "programme") \(request.to) \(request.token ?? "-") \(allowsHTTP)"
        )
        return Self.live
    }

    func stopPush(_ id: PushID, in address: SessionKey) async throws(SignalingError) {
        _ = try find(address)
        guard id == Self.live else { throw SignalingError(.unknownLive) }
        did("stop \(address) \(id)")
    }

    func announceDrain(seconds: Int, url: String?) async {
        state.withLockedValue { $0.drainSeconds.append(seconds) }
        did("drain \(url ?? "-")")
    }
    func endAll() async { did("end all") }
    func gauges() async -> SessionGauges { state.withLockedValue { $0.gauges } }
}

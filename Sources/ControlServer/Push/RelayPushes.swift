import HTTPCalls
import MediaBase
import MediaEngine
import NIOConcurrencyHelpers
import Recording
import Signaling

/// Pushes of all sessions: makes them, and limits their number.
final class RelayPushes: Sendable {
    private let rules: PushRules
    private let engine: MediaEngine
    private let programmes: Programmes
    private let caller = HTTPCaller(agent: "millrace/\(BuildInfo.version)")
    private let count = NIOLockedValueBox(0)

    /// Interval of checks while the relay waits for pushes that end.
    private static let look = Duration.milliseconds(50)
    /// Maximum time that the relay waits for pushes that end, to delete their resources.
    private static let lastTime = Duration.seconds(3)

    /// - Parameter engine: has the packets that are pushed.
    init(rules: PushRules, engine: MediaEngine, programmes: Programmes) {
        self.rules = rules
        self.engine = engine
        self.programmes = programmes
    }

    /// Counts a push if the relay has less than its maximum; `release` stops counting it.
    func reserve() -> Bool {
        count.withLockedValue { count in
            guard count < rules.pushes else { return false }
            count += 1
            return true
        }
    }

    func release() { count.withLockedValue { $0 -= 1 } }

    /// Taps a stream.
    /// - Parameter session: name of the session in the engine.
    func source(of stream: StreamID, session: String) async throws(EngineError) -> PushSource {
        try await PushSource.stream(stream.rawValue, in: session, of: engine)
    }

    /// Opens a session's programme.
    /// - Parameters:
    ///   - session: name of the session in the engine.
    ///   - list: returns the state of the session; nil when it has ended.
    /// - Throws: `EngineError` of the engine; `RecordingError` if the programme cannot start.
    func programme(
        of session: String, _ state: ProgrammeSession, list: @escaping @Sendable () async -> ProgrammeListing?
    ) throws -> PushSource {
        let codec = state.listing.codec(among: VideoCodec.allCases) ?? .vp8
        do throws(RecordingError) {
            let (programme, tap) = try programmes.open(
                session: session, id: state.session, codec: codec, listing: state.listing, list: list)
            // A track for video that comes later needs no second connection.
            return PushSource(
                tap: tap, kinds: Set(MediaKind.allCases), codec: codec,
                requestKeyFrame: { programme.requestKeyFrame() })
        } catch {
            if case .engine(let reason) = error { throw reason }
            throw error
        }
    }

    /// Starts a push.
    /// - Returns: nil if the system cannot start a thread.
    func start(_ request: StartPushRequest, source: PushSource) -> RunningPush? {
        RunningPush(
            to: request.to, source: source,
            caller: PushCaller(
                caller: caller, rules: rules, token: request.token, allowsHTTP: !request.isSecure))
    }

    /// Waits until all pushes have ended and deleted their resources, for a bounded time.
    func ended() async {
        let deadline = ContinuousClock.now + Self.lastTime
        while count.withLockedValue({ $0 }) > 0, ContinuousClock.now < deadline {
            guard (try? await Task.sleep(for: Self.look)) != nil else { return }
        }
    }
}

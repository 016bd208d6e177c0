import CLinuxNet
import MediaBase
import MediaEngine
import SRTP
import Testing

/// All tests that need sockets and threads. They run one after another because they occupy the machine's few cores and read their sockets
/// on the thread that they run on.
@Suite("Media engine", .serialized, .timeLimit(.minutes(5)))
struct EngineTests {
    static func engine(_ change: (inout EngineConfiguration) -> Void = { _ in }) throws -> MediaEngine {
        var configuration = EngineConfiguration()
        configuration.bindAddress = "127.0.0.1"
        configuration.plainPort = 0
        change(&configuration)
        return try MediaEngine(configuration: configuration)
    }

    /// Polls the counters until `isDone` returns true or 10 s have passed.
    static func counters(of engine: MediaEngine, until isDone: (EngineCounters) -> Bool) async throws -> EngineCounters
    {
        let deadline = monotonicNow() + .seconds(10)
        let idle = try Endpoint()
        while true {
            let counters = await engine.counters()
            if isDone(counters) || monotonicNow() > deadline { return counters }
            wait(on: [idle], at: .milliseconds(1))
        }
    }
}

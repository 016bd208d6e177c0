import NIOCore
import NIOPosix

/// Waits briefly so that other tasks can run. Tests check their condition again afterwards.
func moment(_ time: TimeAmount = .milliseconds(3)) async {
    _ = try? await MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: time) {}.futureResult.get()
}

/// Waits until `condition` holds.
func eventually(
    _ what: String, within limit: Duration = .seconds(20), _ condition: () async throws -> Bool
) async throws {
    let start = ContinuousClock.now
    while ContinuousClock.now - start < limit {
        if try await condition() { return }
        await moment()
    }
    throw SocketClient.TimedOut(description: what)
}

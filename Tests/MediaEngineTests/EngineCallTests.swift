import Testing

@testable import MediaEngine

@Suite("Calls in a worker's mailbox")
struct EngineCallTests {
    private func call() throws -> (EngineCall, EngineOutcome) {
        var made: EngineOutcome?
        let call = EngineCall { made = $0 }
        return (call, try #require(made))
    }

    private func error(of call: EngineCall) async -> EngineError? {
        do throws(EngineError) {
            try await call.finish()
            return nil
        } catch {
            return error
        }
    }

    @Test("A caller gets the outcome whether it waits before or after the call is done")
    func outcome() async throws {
        let (call, outcome) = try self.call()
        let early = Task { await error(of: call) }
        await Task.yield()
        outcome.settle(.failure(.unknownSession("s")))
        #expect(await early.value == .unknownSession("s"))
        #expect(await error(of: call) == .unknownSession("s"))
        let done = EngineCall { $0.settle(.success(())) }
        #expect(await error(of: done) == nil)
    }

    @Test("A cancelled task does not get the error that the engine has stopped")
    func cancelled() async throws {
        let (call, outcome) = try self.call()
        let task = Task { await error(of: call) }
        task.cancel()
        for _ in 0..<20 { await Task.yield() }
        outcome.settle(.success(()))
        #expect(await task.value == nil)
    }
}

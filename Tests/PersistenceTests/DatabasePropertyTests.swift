import Foundation
import Messaging
import MessagingTestKit
import MillraceTestKit
import Persistence
import Signaling
import Synchronization
import Testing

@Suite struct DatabasePropertyTests {
    @Test(
        "CHT-4 CHT-9 the database equals the plain model, and passes its integrity check afterwards", arguments: 1...6,
        TestedStorage.Kind.present)
    func model(_ seed: UInt64, _ kind: TestedStorage.Kind) async throws {
        let storage = try TestedStorage(kind)
        let time = Mutex(Int64(0))
        let database = try storage.open(limits: RandomConversations.limits, wallClock: { time.withLock { $0 } })
        func apply(_ command: MessagingCommand, _ now: Int64) async -> Result<MessagingOutcome, SignalingError> {
            time.withLock { $0 = now }
            return await (command.isReading ? database.read(command) : database.perform(command)).mapError(\.answer)
        }
        // Even seeds use two apps with the same user ids in one database.
        let apps = seed.isMultiple(of: 2) ? ["one", "two"] : ["one"]
        var runs = apps.enumerated().map { index, app in
            RandomConversations(
                app: app, sweeps: apps.count == 1, random: SeededGenerator(seed: seed &* 2 &+ UInt64(index)),
                apply: apply)
        }
        for _ in 0..<250 {
            for index in runs.indices where runs[index].faults.isEmpty { await runs[index].step() }
        }
        #expect(runs.flatMap(\.faults) == [])
        #expect(try database.integrityFault() == nil)
        #expect(database.statistics.failures == [:])
        database.close()
    }
}

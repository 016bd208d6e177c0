import Messaging
import MessagingTestKit
import MillraceTestKit
import Signaling
import Testing

@Suite struct MessagingPropertyTests {
    private func run(seed: UInt64, steps: Int) async -> RandomConversations {
        let store = MemoryMessageStore()
        var run = RandomConversations(app: "app", random: SeededGenerator(seed: seed)) { command, now in
            var rules = Messaging(store, limits: RandomConversations.limits, now: now)
            do {
                return .success(try rules.apply(command))
            } catch {
                return .failure(error as? SignalingError ?? SignalingError(.internalError, "\(error)"))
            }
        }
        for _ in 0..<steps where run.faults.isEmpty { await run.step() }
        return run
    }

    @Test("CHT-2 CHT-4 CHT-5 CHT-8 lists, totals, histories and events equal those of a plain model", arguments: 1...20)
    func model(_ seed: UInt64) async {
        #expect(await run(seed: seed, steps: 300).faults == [])
    }

    @Test("the random runs cover every request, and every reason for a refusal")
    func coverage() async {
        let run = await run(seed: 99, steps: 2_000)
        #expect(run.faults == [])
        let reading: Set = ["conversations", "history", "conversationChanges", "group"]
        let methods = Set(RequestTable.all.filter { $0.permission == .user }.map { $0.method })
        let expected = methods.subtracting(reading) + ["sweep", "remove"]
        #expect(Set(run.granted.keys) == Set(expected))
        #expect(
            Set(run.refused.keys) == [
                .unknownConversation, .unknownGroup, .groupFull, .limitReached, .notPermitted, .invalidField,
            ])
    }
}

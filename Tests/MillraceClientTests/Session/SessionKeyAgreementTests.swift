import MediaBase
import SFrame
import Signaling
import Testing

@testable import MillraceClient

@Suite("E2E-3 session machine: key agreement") struct SessionKeyAgreementTests {
    /// Key of the latest join request.
    private static func key(_ bench: MachineBench) -> String? {
        (bench.sent.last { $0.request.method == JoinRequest.method }?.request as? JoinRequest)?.e2eeKey
    }

    private static func user(_ id: ConnectionID, _ key: String?, joinedAt: Int64 = 1) -> UserInfo {
        UserInfo(id: id, name: id.rawValue, joinedAt: joinedAt, e2eeKey: key)
    }

    private static func enter(_ bench: inout MachineBench) throws {
        bench.connect(agreesOnKeys: true)
        bench.open()
        let key = try #require(Self.key(bench))
        bench.joined(MachineBench.answer(users: [user(MachineBench.me, key)]))
    }

    private static func numbers(_ bench: MachineBench) -> [String] {
        bench.events.compactMap { if case .safetyNumberChanged(let number) = $0 { number } else { nil } }
    }

    private static func failures(_ bench: MachineBench) -> [KeyAgreementFailure] {
        bench.events.compactMap { if case .keyAgreementFailed(let failure) = $0 { failure } else { nil } }
    }

    @Test(
        "The first participant makes keys, and sends them to those that join later in signals that applications do not see"
    )
    func leads() throws {
        var bench = MachineBench()
        try Self.enter(&bench)
        #expect(bench.machine.agreement?.sealingEpoch == nil)
        bench.advance(by: .milliseconds(300))
        #expect(bench.machine.agreement?.sealingEpoch != nil)
        #expect(Self.numbers(bench).count == 1 && bench.machine.model.safetyNumber == Self.numbers(bench).first)
        #expect(!bench.sent.contains { $0.request.method == SignalRequest.method })

        var random = SystemRandomNumberGenerator()
        let bob = Self.user(MachineBench.bob, try KeyAgreementIdentity(using: &random).publicKey, joinedAt: 2)
        bench.tell(.userJoined(UserJoined(user: bob)))
        bench.advance(by: .seconds(1))
        let signals = bench.sent.compactMap { $0.request as? SignalRequest }
        #expect(signals.count == 1)
        #expect(signals.first?.type == KeyAgreement.signalType && signals.first?.objection == nil)
        #expect(Self.numbers(bench).count == 2 && Self.failures(bench).isEmpty)
        bench.tell(
            .signal(SignalReceived(from: MachineBench.bob, type: KeyAgreement.signalType, data: "anything")))
        #expect(bench.heard.isEmpty)
    }

    @Test("Each join has another key, and a resume continues the agreement") func newKeys() throws {
        var bench = MachineBench()
        try Self.enter(&bench)
        bench.advance(by: .seconds(1))
        let first = Self.key(bench)
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.resumed()
        #expect(bench.machine.agreement?.sealingEpoch != nil)
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        bench.refuse(SignalingError(.resumeExpired))
        let second = Self.key(bench)
        #expect(second != nil && second != first)
        let again = ConnectionID(rawValue: "again")
        bench.joined(MachineBench.answer(connection: again, users: [Self.user(again, second)]))
        #expect(bench.machine.agreement?.sealingEpoch == nil)
        bench.advance(by: .seconds(1))
        #expect(bench.machine.agreement?.sealingEpoch != nil)
        #expect(Set(Self.numbers(bench)).count == 2)
    }

    @Test("A relay that does not announce the key, and one that only counts users, are reported") func unsupported()
        throws
    {
        var bench = MachineBench()
        bench.connect(agreesOnKeys: true)
        bench.open()
        bench.joined()
        #expect(Self.failures(bench) == [.unsupportedByRelay])

        var large = MachineBench()
        large.connect(agreesOnKeys: true)
        large.open()
        var answer = MachineBench.answer(users: [Self.user(MachineBench.me, Self.key(large))])
        answer.userCount = 900
        large.joined(answer)
        #expect(Self.failures(large) == [.tooManyParticipants])
        large.advance(by: .seconds(2))
        #expect(large.machine.agreement?.sealingEpoch == nil)
    }

    @Test("Without the option no key is sent") func off() {
        var bench = MachineBench()
        bench.enter()
        bench.advance(by: .seconds(1))
        #expect(Self.key(bench) == nil && bench.machine.agreement == nil)
        #expect(Self.numbers(bench).isEmpty && Self.failures(bench).isEmpty)
    }
}

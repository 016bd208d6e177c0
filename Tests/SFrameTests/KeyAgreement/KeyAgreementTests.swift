import MediaBase
import MillraceTestKit
import Testing

@testable import SFrame

@Suite("E2E-3 key agreement") struct KeyAgreementTests {
    @Test(
        "Participants that join, leave, and lose the leader agree on one secret, though signals are lost, delayed, repeated and forged",
        arguments: 1...12 as ClosedRange<UInt64>)
    func convergence(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 1_000)
        var world = AgreementWorld(
            seed: seed,
            .init(
                lost: random.below(40), repeated: random.below(40), forged: random.below(40),
                delay: .milliseconds(Int64(1 + random.below(400)))))
        var names: [String] = []
        for step in 0..<40 {
            switch random.below(5) {
            case 0, 1:
                names.append("c\(step)")
                try world.join("c\(step)")
            case 2 where names.count > 1: world.leave(names.remove(at: random.below(names.count)))
            case 3 where names.count > 1: world.leave(names.removeFirst())
            case 4 where !names.isEmpty: try world.setConnected(names[0], random.below(2) == 0)
            default: break
            }
            world.run(for: .milliseconds(Int64(random.below(700))))
        }
        for name in names { try world.setConnected(name, true) }
        world.run(for: .seconds(300))
        #expect(world.violations() == [])
        #expect(world.epochs > 3)
    }

    @Test("Without faults, everyone has the new secret half a second after a join and after a leave")
    func prompt() throws {
        var world = AgreementWorld(seed: 1)
        for name in ["a", "b", "c"] {
            try world.join(name)
            world.run(for: .milliseconds(600))
        }
        world.run(for: .milliseconds(300))
        #expect(world.violations() == [])
        #expect(world.epochs == 3)
        for leaving in ["c", "a"] {
            world.leave(leaving)
            world.run(for: .milliseconds(900))
            #expect(world.violations() == [])
        }
        #expect(world.epochs == 5)
        #expect(world.clients.values.allSatisfy { $0.failures.isEmpty })
    }

    @Test("100 joins in one second share few secrets, and each secret costs two signals")
    func manyJoins() throws {
        var world = AgreementWorld(seed: 2)
        for index in 0..<100 {
            try world.join("c\(index)")
            world.run(for: .milliseconds(10))
        }
        world.run(for: .seconds(2))
        #expect(world.violations() == [])
        #expect(world.epochs <= 4)
        #expect(world.signalsSent <= 8)
    }

    @Test("A participant opens neither frames from before it joined nor frames from after it left")
    func frames() throws {
        var world = AgreementWorld(seed: 3)
        func seal(_ name: String) throws -> [UInt8] {
            let epoch = try #require(world.clients[name]?.agreement.sealingEpoch)
            let key = try epoch.secret.baseKey(session: AgreementWorld.session, connection: name)
            var output: [UInt8] = []
            try [1, 2, 3].withUnsafeBytes {
                try SFrameSealer(.opus, epoch: epoch.frameEpoch, baseKey: key).seal($0, into: &output)
            }
            return output
        }
        func opens(_ name: String, _ frame: [UInt8], from sender: String) throws -> Bool {
            let opener = SFrameOpener(.opus)
            for epoch in try #require(world.clients[name]?.agreement.openingEpochs) {
                opener.add(
                    baseKey: try epoch.secret.baseKey(session: AgreementWorld.session, connection: sender),
                    epoch: epoch.frameEpoch)
            }
            var output: [UInt8] = []
            return (try? frame.withUnsafeBytes { try opener.open($0, into: &output, at: .seconds(1)) }) != nil
        }
        try world.join("a")
        try world.join("b")
        world.run(for: .seconds(2))
        let before = try seal("a")
        #expect(try opens("b", before, from: "a"))
        try world.join("c")
        world.run(for: .seconds(2))
        #expect(try opens("b", before, from: "a"))
        #expect(try !opens("c", before, from: "a"))
        let between = try seal("a")
        #expect(try opens("c", between, from: "a"))
        world.leave("b")
        world.run(for: .seconds(2))
        let after = try seal("a")
        #expect(try opens("c", after, from: "a"))
        #expect(try !opens("b", after, from: "a"))
        #expect(try !opens("c", after, from: "c"))
        // Former secrets are forgotten.
        #expect(try opens("c", between, from: "a"))
        world.run(for: .seconds(10))
        #expect(try !opens("c", between, from: "a"))
    }

    @Test("A participant that is shown another key than the leader reports it, and encrypts nothing after 10 s")
    func mismatch() throws {
        var world = AgreementWorld(seed: 4)
        var generator = SeededGenerator(seed: 5)
        let forged = try KeyAgreementIdentity(using: &generator).publicKey
        world.shows = { client, members in
            guard client == "b" else { return members }
            return members.map { member in
                guard member.connection == "c" else { return member }
                return KeyAgreementMember(
                    connection: "c", publicKey: forged, joinedAt: member.joinedAt, isConnected: true)!
            }
        }
        try world.join("a")
        try world.join("b")
        world.run(for: .seconds(2))
        #expect(world.violations() == [])
        try world.join("c")
        world.run(for: .seconds(5))
        #expect(world.clients["b"]?.failures == [.membershipMismatch])
        #expect(world.clients["b"]?.agreement.sealingEpoch != nil)
        #expect(world.clients["b"]?.agreement.safetyNumber != world.clients["a"]?.agreement.safetyNumber)
        world.run(for: .seconds(10))
        #expect(world.clients["b"]?.agreement.sealingEpoch == nil)
        // The leader learns it from the participant's requests.
        #expect(world.clients["a"]?.failures == [.membershipMismatch])
        #expect(world.clients["c"]?.failures == [])
    }

    @Test("A relay that substitutes the leader's key cannot make a secret that its victim accepts")
    func forgedLeader() throws {
        var generator = SeededGenerator(seed: 6)
        let (victim, leader) = (
            try KeyAgreementIdentity(using: &generator), try KeyAgreementIdentity(using: &generator)
        )
        let members = [("leader", leader), ("victim", victim)].map {
            KeyAgreementMember(connection: $0, publicKey: $1.publicKey, joinedAt: 1, isConnected: true)!
        }
        // The relay knows both public keys, and no private one.
        var relay = KeyAgreement(try KeyAgreementIdentity(using: &generator), session: "s", connection: "leader")
        relay.roster = KeyRoster(session: "s", members: members)
        relay.leader = members[0]
        relay.makeEpoch(now: .seconds(1), using: &generator)
        var agreement = KeyAgreement(victim, session: "s", connection: "victim")
        agreement.setMembers(members, isComplete: true, now: .seconds(1))
        for case .send(let data, _) in relay.takeEffects() {
            agreement.receive(data, from: "leader", now: .seconds(1))
        }
        #expect(agreement.openingEpochs.isEmpty && agreement.refused == 1)
    }

    @Test("A silent leader is reported after 10 s, when nothing is encrypted any more; a lost one is replaced")
    func silentLeader() throws {
        var world = AgreementWorld(seed: 7)
        try world.join("a")
        try world.join("b")
        world.run(for: .seconds(2))
        world.sends = { $0 != "a" }
        try world.join("c")
        world.run(for: .seconds(9))
        #expect(world.clients["b"]?.agreement.sealingEpoch != nil)
        world.run(for: .seconds(2))
        #expect(world.clients["b"]?.agreement.sealingEpoch == nil)
        #expect(world.clients["b"]?.failures == [.noKeys] && world.clients["c"]?.failures == [.noKeys])
        try world.setConnected("a", false)
        world.run(for: .seconds(2))
        #expect(world.violations() == [])
    }

    @Test("A leader that chose the highest number can be replaced") func highestNumber() throws {
        var world = AgreementWorld(seed: 8)
        try world.join("a")
        try world.join("b")
        world.run(for: .seconds(2))
        world.clients["a"]?.agreement.lastNumbers["a"] = .max - 1
        try world.join("c")
        world.run(for: .seconds(2))
        #expect(world.clients["b"]?.agreement.current?.number == .max)
        world.leave("a")
        world.run(for: .seconds(2))
        try world.join("d")
        world.run(for: .seconds(2))
        #expect(world.violations() == [])
    }

    @Test("A flood of messages costs 20 decryptions a second and leaves nothing behind") func flood() throws {
        var world = AgreementWorld(seed: 9)
        try world.join("a")
        try world.join("b")
        world.run(for: .seconds(2))
        var agreement = try #require(world.clients["b"]?.agreement)
        let digest = try #require(agreement.roster?.digest)
        let entry = HPKEEntry(bytes: [UInt8](repeating: 9, count: HPKEEntry.length))
        for number in 0..<10_000 as Range<UInt32> {
            let message = KeyMessage(epoch: 100 + number, roster: digest, .secrets(first: 0, entries: [entry]))
            agreement.receive(message.text, from: "a", now: world.now)
            agreement.receive(message.text, from: "nobody\(number)", now: world.now)
            agreement.receive(KeyMessage(epoch: 1, roster: digest, .request).text, from: "a", now: world.now)
        }
        #expect(agreement.refused == 30_000)
        let isAdmitted = agreement.admitDecryption(now: world.now)
        let effects = agreement.takeEffects()
        #expect(!isAdmitted && effects == [] && agreement.lastNumbers.count == 1)

        // Requests of a participant are answered twice a second, those of others never.
        var leader = try #require(world.clients["a"]?.agreement)
        for number in 0..<1_000 {
            leader.receive(KeyMessage(epoch: 1, roster: digest, .request).text, from: "b", now: world.now)
            leader.receive(KeyMessage(epoch: 1, roster: digest, .request).text, from: "c\(number)", now: world.now)
        }
        let answers = leader.takeEffects()
        #expect(answers.count == 1 && leader.answered.count == 1)
    }

    @Test("More than 200 participants, and a relay that only counts some, are reported") func tooMany() throws {
        var generator = SeededGenerator(seed: 10)
        let identity = try KeyAgreementIdentity(using: &generator)
        let members = (0...KeyAgreement.Limit.members).map { index in
            KeyAgreementMember(
                connection: "c\(index)", publicKey: identity.publicKey, joinedAt: Int64(index), isConnected: true)!
        }
        for (shown, isComplete) in [(members, true), (Array(members.prefix(2)), false)] {
            var agreement = KeyAgreement(identity, session: "s", connection: "c0")
            agreement.setMembers(shown, isComplete: isComplete, now: .seconds(1))
            agreement.handleTimeout(now: .seconds(3), using: &generator)
            let effects = agreement.takeEffects()
            #expect(effects == [.failed(.tooManyParticipants)])
            #expect(agreement.sealingEpoch == nil)
            agreement.setMembers(Array(members.prefix(2)), isComplete: true, now: .seconds(4))
            agreement.handleTimeout(now: .seconds(5), using: &generator)
            #expect(agreement.sealingEpoch != nil)
        }
    }

    @Test("A relay that does not announce the own key is reported") func unsupported() throws {
        var generator = SeededGenerator(seed: 11)
        var agreement = KeyAgreement(try KeyAgreementIdentity(using: &generator), session: "s", connection: "c")
        agreement.setMembers([], isComplete: true, now: .seconds(1))
        agreement.setMembers([], isComplete: true, now: .seconds(2))
        let effects = agreement.takeEffects()
        #expect(effects == [.failed(.unsupportedByRelay)])
        #expect(agreement.deadline == .never)
    }
}

import DTLS
import MediaBase
import MillraceTestKit
import SDP
import STUN
import Testing
import Transport

@Suite("ICE-lite agent (RFC 8445)") struct ICELiteAgentTests {
    static func agent() -> (ICELiteAgent, Checks) {
        (
            ICELiteAgent(local: .relay, remoteFragment: ICECredentials.client.ufrag),
            Checks(local: .relay, remote: .client)
        )
    }

    @Test func answersAnAuthenticCheckWithItsAddress() throws {
        var (agent, checks) = Self.agent()
        let v6 = PeerAddress(SocketAddress("2001:db8::7", port: 5_000)!)
        let mapped = PeerAddress(SocketAddress("::ffff:192.0.2.9", port: 5_001)!)
        let expected: [(PeerAddress, STUNAddress)] = [
            (.peer(1), STUNAddress(ip: .v4(0xc633_6401), port: 40_000)),
            (v6, STUNAddress(ip: .v6(high: 0x2001_0db8_0000_0000, low: 7), port: 5_000)),
            (mapped, STUNAddress(ip: .v4(0xc000_0209), port: 5_001)),
        ]
        for (address, told) in expected {
            let request = checks.make()
            let answer = try #require(agent.receive(request, from: address).answer)
            let message = try #require(checks.read(answer))
            #expect(message.messageClass == .success && message.xorMappedAddress == told)
            #expect(Array(answer[8..<20]) == Array(request[8..<20]))
            #expect(agent.isValidated(address))
        }
        #expect(agent.selected == nil, "nobody nominated")
        #expect(agent.statistics.checks == 3 && agent.statistics.moves == 0)
    }

    @Test("Messages that are not authentic get no answer and change no state") func refusals() {
        var (agent, checks) = Self.agent()
        let wrong = [
            checks.make(nominates: true, username: "RELAYfrag:another"), checks.make(username: "other:clientFr"),
            checks.make(username: "clientFr:RELAYfrag"), checks.make(username: ""), checks.make(username: "RELAYfrag:"),
            checks.make(username: "RELAYfrag"), checks.make(password: ICECredentials.client.password),
            checks.make(password: ""), checks.make(integrity: false), checks.make(fingerprint: false),
            checks.make(password: "x", kind: .indication), checks.make(kind: .success), checks.make(kind: .error),
            checks.make(method: STUNMethod(rawValue: 3)),
            // Unknown and required, but not authentic: the request must not even get a 420.
            checks.make(password: "x", adding: [.other(STUNAttributeType(rawValue: 0x7f01), [])]),
            checks.make(password: "x", adding: [.iceControlled(1)]), [], [0, 1], [UInt8](repeating: 0, count: 20),
        ]
        for (number, datagram) in wrong.enumerated() {
            let reaction = agent.receive(datagram, from: .peer(number))
            #expect(reaction.answer == nil && !reaction.isCheck && !reaction.hasMoved, "case \(number)")
        }
        #expect(agent.validated.isEmpty && agent.lastAuthentic == nil && agent.selected == nil)
        let statistics = agent.statistics
        #expect(statistics.malformed + statistics.unauthentic == UInt64(wrong.count) && statistics.checks == 0)
    }

    @Test("No damaged or truncated check is answered", arguments: [1, 2] as [UInt64]) func damaged(seed: UInt64) {
        var (agent, checks) = Self.agent()
        let whole = checks.make(nominates: true)
        for length in 0..<whole.count { #expect(agent.receive(Array(whole[..<length]), from: .peer(1)).answer == nil) }
        for bit in 0..<(whole.count * 8) {
            var changed = whole
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(agent.receive(changed, from: .peer(1)).answer == nil, "bit \(bit)")
        }
        let corpus = [whole, checks.make()]
        MutationFuzzer(corpus: corpus, seed: seed).run(count: 20_000) { bytes in
            if corpus.contains(Array(bytes)) { return }
            #expect(agent.receive(bytes, from: .peer(2), now: .zero).answer == nil)
        }
        #expect(agent.validated.isEmpty && agent.lastAuthentic == nil)
        #expect(agent.receive(whole, from: .peer(1)).answer != nil, "the whole one is")
    }

    @Test("RFC 5389 section 7.3.1: unknown required attributes get error 420") func unknownAttributes() throws {
        var (agent, checks) = Self.agent()
        let types = [0x7f01, 0x0003, 0x001c].map { STUNAttributeType(rawValue: UInt16($0)) }
        for count in 1...3 {
            let unknown = types.prefix(count).map { STUNAttribute.other($0, []) }
            let request = checks.make(nominates: true, adding: [.priority(1)] + unknown)
            let answer = try #require(agent.receive(request, from: .peer(1)).answer)
            let message = try #require(checks.read(answer))
            #expect(message.messageClass == .error && message.errorCode?.code == 420)
            #expect(message.attributes.contains(.unknownAttributes(Array(types.prefix(count)))))
            #expect(answer.count <= request.count)
        }
        #expect(agent.selected == nil, "a refused check nominates nothing")
        // Comprehension-optional attributes, such as those of browsers, are ignored.
        let optional = checks.make(adding: [.priority(1), .other(STUNAttributeType(rawValue: 0xc057), [0, 0, 0, 10])])
        #expect(checks.read(agent.receive(optional, from: .peer(1)).answer ?? [])?.messageClass == .success)
    }

    @Test("RFC 8445 section 7.3.1.1: a peer in the controlled role gets error 487")
    func roleConflict() throws {
        var (agent, checks) = Self.agent()
        for tieBreaker in [0, 1, .max] as [UInt64] {
            let request = checks.make(nominates: true, adding: [.priority(1), .iceControlled(tieBreaker)])
            let answer = try #require(agent.receive(request, from: .peer(1)).answer)
            #expect(checks.read(answer)?.errorCode?.code == 487 && answer.count <= request.count)
        }
        #expect(agent.selected == nil && agent.statistics.roleConflicts == 3)
        #expect(agent.receive(checks.make(nominates: true), from: .peer(1)).hasMoved)
    }

    @Test func noAnswerIsLongerThanItsRequest() {
        let short = ICECredentials(ufrag: "abcd", password: ICECredentials.relay.password)!
        let other = ICECredentials(ufrag: "efgh", password: ICECredentials.client.password)!
        let v6 = PeerAddress(SocketAddress("2001:db8::7", port: 5_000)!)
        let unknown = STUNAttribute.other(STUNAttributeType(rawValue: 0x0103), [])
        let contents: [[STUNAttribute]] = [
            [], [.priority(1)], [unknown], [.iceControlled(1)], [unknown, unknown, unknown],
            [.iceControlled(1), unknown],
        ]
        for source in [PeerAddress.peer(1), v6] {
            for attributes in contents {
                var agent = ICELiteAgent(local: short, remoteFragment: other.ufrag)
                var checks = Checks(local: short, remote: other)
                let request = checks.make(adding: attributes)
                let answer = agent.receive(request, from: source).answer
                #expect(answer?.count ?? 0 <= request.count, "\(attributes) from \(source)")
            }
        }
    }

    @Test func newestNominationWins() {
        var (agent, checks) = Self.agent()
        #expect(!agent.receive(checks.make(), from: .peer(1)).hasMoved)
        #expect(agent.receive(checks.make(nominates: true), from: .peer(1)).hasMoved)
        #expect(!agent.receive(checks.make(nominates: true), from: .peer(1)).hasMoved)
        #expect(!agent.receive(checks.make(), from: .peer(2)).hasMoved)
        #expect(agent.selected == .peer(1))
        // A new address, and back again.
        #expect(agent.receive(checks.make(nominates: true), from: .peer(3)).hasMoved)
        #expect(agent.selected == .peer(3))
        #expect(agent.receive(checks.make(nominates: true), from: .peer(1)).hasMoved)
        #expect(agent.selected == .peer(1))
        #expect(agent.statistics.moves == 3)
    }

    @Test("CON-7 RFC 7675: only authentic, new messages from the selected address count as a sign of life")
    func signsOfLife() {
        var (agent, checks) = Self.agent()
        let first = agent.receivedAuthentic(from: .peer(1), now: .seconds(1))
        #expect(!first && agent.lastAuthentic == nil, "nothing is validated")
        _ = agent.receive(checks.make(), from: .peer(1), at: .seconds(1))
        let early = agent.receivedAuthentic(from: .peer(1), now: .seconds(2))
        #expect(early && agent.lastAuthentic == .seconds(2), "some clients send media and nominate later")
        _ = agent.receive(checks.make(nominates: true), from: .peer(2), at: .seconds(3))
        let other = agent.receivedAuthentic(from: .peer(1), now: .seconds(5))
        #expect(other && agent.lastAuthentic == .seconds(3), "validated, but not where media goes")
        _ = agent.receive(checks.make(), from: .peer(1), at: .seconds(6))
        #expect(agent.lastAuthentic == .seconds(3) && agent.selected == .peer(2), "the same of a check")
        let selected = agent.receivedAuthentic(from: .peer(2), now: .seconds(7))
        let stranger = agent.receivedAuthentic(from: .peer(3), now: .seconds(8))
        #expect(selected && !stranger && agent.lastAuthentic == .seconds(7))
    }

    @Test("RFC 8445 section 11: an authentic binding indication is a sign of life and gets no answer")
    func indications() {
        var (agent, checks) = Self.agent()
        _ = agent.receive(checks.make(nominates: true), from: .peer(1), at: .seconds(1))
        let indication = checks.make(kind: .indication, adding: [])
        let reaction = agent.receive(indication, from: .peer(1), at: .seconds(2))
        #expect(reaction.answer == nil && !reaction.isCheck && agent.lastAuthentic == .seconds(2))
        _ = agent.receive(indication, from: .peer(1), at: .seconds(3))
        _ = agent.receive(checks.make(integrity: false, kind: .indication, adding: []), from: .peer(1), at: .seconds(4))
        _ = agent.receive(checks.make(password: "x", kind: .indication, adding: []), from: .peer(1), at: .seconds(5))
        _ = agent.receive(checks.make(kind: .indication, adding: []), from: .peer(2), at: .seconds(6))
        #expect(agent.lastAuthentic == .seconds(2) && !agent.isValidated(.peer(2)))
        #expect(agent.statistics.indications == 3 && agent.statistics.unauthentic == 2 && agent.statistics.checks == 1)
    }

    @Test func replaysMoveNothing() {
        var (agent, checks) = Self.agent()
        let first = checks.make(nominates: true)
        _ = agent.receive(first, from: .peer(1), at: .seconds(1))
        _ = agent.receive(checks.make(nominates: true), from: .peer(2), at: .seconds(2))
        let fromElsewhere = agent.receive(first, from: .peer(3), at: .seconds(3))
        #expect(fromElsewhere.answer == nil && !fromElsewhere.hasMoved && !agent.isValidated(.peer(3)))
        // A retransmission, whose answer may have been lost, is answered; it does not move media and gives no consent.
        let repeated = agent.receive(first, from: .peer(1), at: .seconds(4))
        #expect(repeated.answer != nil && !repeated.hasMoved && !repeated.isCheck)
        #expect(agent.selected == .peer(2) && agent.lastAuthentic == .seconds(2) && agent.statistics.repeats == 2)
    }

    @Test func replaysAreKnownForThousandsOfChecks() {
        var (agent, checks) = Self.agent()
        let captured = (0..<3_000).map { _ in checks.make(nominates: true) }
        for datagram in captured { _ = agent.receive(datagram, from: .peer(1)) }
        for datagram in captured { #expect(agent.receive(datagram, from: .peer(2)).answer == nil) }
        #expect(agent.selected == .peer(1) && agent.validated == [.peer(1)])
        for _ in 0..<6_000 { #expect(agent.receive(checks.make(), from: .peer(1)).isCheck) }
    }

    @Test("RFC 7675: media moves to the address that consent comes from once the old address is silent")
    func silentAddress() {
        var (agent, checks) = Self.agent()
        _ = agent.receive(checks.make(nominates: true), from: .peer(1), at: .seconds(0))
        #expect(!agent.receive(checks.make(), from: .peer(2), at: .seconds(3.9)).hasMoved, "maybe a second pair")
        #expect(agent.receive(checks.make(), from: .peer(2), at: .seconds(4)).hasMoved)
        #expect(agent.selected == .peer(2))
    }

    @Test func restartKeepsTheOldCredentialsUntilTheNewAreUsed() throws {
        var (agent, old) = Self.agent()
        _ = agent.receive(old.make(nominates: true), from: .peer(1))
        let local = try #require(ICECredentials(ufrag: "RELAYnext", password: "relayPasswordOfNextTime1"))
        let remote = try #require(ICECredentials(ufrag: "nextFr", password: "clientPasswordOfNextTime"))
        agent.restart(local: local, remoteFragment: remote.ufrag)
        var new = Checks(local: local, remote: remote)
        #expect(agent.credentials == [.relay, local])
        #expect(agent.receive(old.make(), from: .peer(1)).isCheck)
        // Fragments of the old and the new credentials cannot be mixed.
        for name in ["RELAYnext:clientFr", "RELAYfrag:nextFr"] {
            #expect(!agent.receive(new.make(username: name), from: .peer(1)).isCheck)
        }
        #expect(!agent.receive(new.make(password: old.local.password), from: .peer(1)).isCheck)
        #expect(agent.credentials.count == 2)
        let reaction = agent.receive(new.make(), from: .peer(1))
        #expect(new.read(reaction.answer ?? [])?.messageClass == .success && agent.credentials == [local])
        #expect(!agent.receive(old.make(nominates: true), from: .peer(2)).isCheck)
        #expect(agent.selected == .peer(1))
        #expect(agent.receive(new.make(nominates: true), from: .peer(2)).hasMoved)
    }

    @Test func remembersABoundedNumberOfAddresses() {
        var (agent, checks) = Self.agent()
        _ = agent.receive(checks.make(nominates: true), from: .peer(0), at: .zero)
        for number in 1...1_000 {
            _ = agent.receive(checks.make(), from: .peer(number), at: .milliseconds(Int64(number)))
            #expect(agent.validated.count <= ICELiteAgent.addressLimit)
        }
        #expect(agent.isValidated(.peer(0)) && agent.isValidated(.peer(1_000)) && !agent.isValidated(.peer(900)))
        #expect(agent.selected == .peer(0))
    }

    @Test func bytesOutAreBoundByBytesInUntilThePeerHasShownItself() {
        var (agent, checks) = Self.agent()
        func spend(_ bytes: Int, to address: PeerAddress) -> Bool { agent.spend(bytes, to: address) }
        func received(_ bytes: Int, from address: PeerAddress) -> Bool { agent.received(bytes, from: address) }
        #expect(!spend(1, to: .peer(1)), "nothing came from there")
        #expect(!received(1_000, from: .peer(1)), "not authentic")
        #expect(!spend(1, to: .peer(1)))
        let request = checks.make()
        let answer = agent.receive(request, from: .peer(1)).answer ?? []
        var left = request.count - answer.count
        #expect(!spend(left + 1, to: .peer(1)))
        #expect(spend(left, to: .peer(1)))
        #expect(!spend(1, to: .peer(1)))
        #expect(received(200, from: .peer(1)))
        #expect(spend(200, to: .peer(1)))
        #expect(!spend(1, to: .peer(1)))
        // Nominated: a first flight may exceed the limit, once for all addresses.
        left = 0
        for number in 1...3 {
            let request = checks.make(nominates: true)
            left += request.count - (agent.receive(request, from: .peer(number)).answer?.count ?? 0)
        }
        var sent = 0
        for number in 1...3 { while sent < 100_000, spend(10, to: .peer(number)) { sent += 10 } }
        #expect(sent <= left + ICELiteAgent.firstFlightAllowance && sent > ICELiteAgent.firstFlightAllowance)
        agent.confirm()
        #expect(spend(1_000_000, to: .peer(1)))
        _ = agent.receive(checks.make(), from: .peer(9))
        #expect(!spend(1_000, to: .peer(9)), "not nominated")
    }

    @Test func closedConnectionsAreForgotten() {
        var (agent, checks) = Self.agent()
        func spend(_ bytes: Int, to address: PeerAddress) -> Bool { agent.spend(bytes, to: address) }
        func forget(_ address: PeerAddress) -> Bool { agent.forget(address) }
        let stream = PeerAddress(.init("198.51.100.9", port: 9)!, connection: 4)
        _ = agent.receive(checks.make(nominates: true), from: .peer(1))
        _ = agent.receive(checks.make(nominates: true), from: stream)
        #expect(agent.selected == stream)
        #expect(spend(100_000, to: stream))
        #expect(forget(stream))
        #expect(agent.selected == .peer(1) && !agent.isValidated(stream))
        #expect(!spend(1, to: stream))
    }
}

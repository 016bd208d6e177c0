import MediaBase
import MillraceTestKit
import SDP
import Testing
import Transport

@Suite("Full ICE agents with each other (RFC 8445)") struct ICEFullAgentTests {
    static let addresses = [PeerAddress.peer(1), .peer(2)]

    static func candidate(_ address: PeerAddress, priority: UInt32 = 100) -> ICECandidate {
        ICECandidate(
            foundation: "1", transport: .udp, priority: priority, host: address.address.host,
            port: address.address.port)
    }

    static func agent(_ number: Int, seed: UInt64, beginsControlled: Bool) -> ICEFullAgent {
        let credentials = [ICECredentials.relay, .client]
        var configuration = ICEFullAgent.Configuration(local: credentials[number], remote: credentials[1 - number])
        configuration.beginsControlled = beginsControlled
        return ICEFullAgent(configuration, random: SeededGenerator(seed: seed &* 31 &+ UInt64(number)), now: .zero)
    }

    /// Connects two agents with a delay of 10 ms for each datagram.
    static func meet(_ agents: inout [ICEFullAgent], until end: MediaTime) {
        var way: [(at: MediaTime, to: Int, bytes: [UInt8])] = []
        var now = MediaTime.zero
        while true {
            for number in 0..<2 {
                while let output = agents[number].nextOutput() {
                    guard case .transmit(let bytes, let to) = output, to == addresses[1 - number] else { continue }
                    way.append((now + .milliseconds(10), 1 - number, bytes))
                }
            }
            let due = min(way.first?.at ?? .never, agents[0].deadline, agents[1].deadline)
            guard due <= end else { return }
            now = max(now, due)
            while let first = way.first, first.at <= now {
                way.removeFirst()
                first.bytes.withUnsafeBytes { agents[first.to].receive($0, from: addresses[1 - first.to], now: now) }
            }
            for number in 0..<2 where agents[number].deadline <= now { agents[number].handleTimeout(now: now) }
        }
    }

    @Test(
        "Sections 7.2.5.1 and 7.3.1.1: whatever their initial roles, one agent controls and both select",
        arguments: [(false, true), (true, false), (false, false), (true, true)], 1...6 as ClosedRange<UInt64>)
    func roles(controlled: (Bool, Bool), seed: UInt64) {
        var agents = [
            Self.agent(0, seed: seed, beginsControlled: controlled.0),
            Self.agent(1, seed: seed, beginsControlled: controlled.1),
        ]
        for number in 0..<2 {
            let isUsed = agents[number].add(Self.candidate(Self.addresses[1 - number]), now: .zero)
            #expect(isUsed)
        }
        Self.meet(&agents, until: .seconds(20))
        for number in 0..<2 {
            #expect(agents[number].selected == Self.addresses[1 - number])
            #expect(agents[number].lastConsent ?? .zero > .seconds(10), "consent goes on being asked for")
        }
        #expect(agents[0].isControlling != agents[1].isControlling)
    }

    @Test("A peer whose candidates were not signalled is found by its checks") func peerReflexive() {
        var agents = [
            Self.agent(0, seed: 1, beginsControlled: true), Self.agent(1, seed: 1, beginsControlled: false),
        ]
        let isUsed = agents[1].add(Self.candidate(Self.addresses[0]), now: .zero)
        #expect(isUsed)
        Self.meet(&agents, until: .seconds(5))
        #expect(agents[0].selected == Self.addresses[1] && agents[1].selected == Self.addresses[0])
    }

    @Test("After an ICE restart with other candidates of the peer, the previous ones are neither checked nor known")
    func replacedCandidates() {
        var agents = [
            Self.agent(0, seed: 1, beginsControlled: false), Self.agent(1, seed: 1, beginsControlled: true),
        ]
        for number in 0..<2 { _ = agents[number].add(Self.candidate(Self.addresses[1 - number]), now: .zero) }
        Self.meet(&agents, until: .seconds(1))
        #expect(agents[0].selected == Self.addresses[1])
        let other = PeerAddress.peer(3)
        agents[0].restart(local: .client, remote: .relay, keeping: [Self.candidate(other)], now: .seconds(1))
        _ = agents[0].add(Self.candidate(other), now: .seconds(1))
        #expect(agents[0].isKnown(other) && !agents[0].isKnown(Self.addresses[1]))
        #expect(agents[0].selected == Self.addresses[1], "the destination of media until another one is selected")
        #expect(agents[0].tried.map(\.address) == [other.address])
        agents[0].restart(local: .client, remote: .relay, now: .seconds(2))
        #expect(agents[0].isKnown(other))
    }

    @Test func candidatesOfNoUseAreRefused() {
        var agent = Self.agent(0, seed: 1, beginsControlled: false)
        func takes(_ change: (inout ICECandidate) -> Void) -> Bool {
            var candidate = Self.candidate(.peer(1))
            change(&candidate)
            return agent.add(candidate, now: .zero)
        }
        #expect(!takes { $0.host = "0f2c6e1e.local" })
        #expect(!takes { $0.component = 2 })
        #expect(!takes { $0.port = 0 })
        for type in [nil, ICECandidate.TCPType.active, .simultaneousOpen] {
            #expect(
                !takes {
                    $0.transport = .tcp
                    $0.tcpType = type
                })
        }
        for port in 1...100 { #expect(takes { $0.port = UInt16(port) } == (port <= ICEFullAgent.pairLimit)) }
    }
}

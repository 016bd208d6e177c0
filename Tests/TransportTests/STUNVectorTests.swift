import DTLS
import MediaBase
import MillraceTestKit
import SDP
import STUN
import Testing
import Transport

/// Returns numbers from a list, so that an agent uses the transaction of a published vector.
private struct ScriptedGenerator: RandomNumberGenerator {
    var numbers: [UInt64]
    mutating func next() -> UInt64 { numbers.isEmpty ? 5 : numbers.removeFirst() }
}

@Suite("Agents and the vectors of RFC 5769") struct STUNVectorTests {
    // User name and password of section 2: the first fragment and the password are those of the agent that is checked.
    static let asked = ICECredentials(ufrag: "evtj", password: "VOkJxbRl1RmTxUk/WvJxBt")!
    static let asking = ICECredentials(ufrag: "h6vY", password: "passwordOfWhoAskedTheOther")!
    static let source = PeerAddress(SocketAddress("192.0.2.1", port: 32_853)!)

    @Test("Section 2.1: the request is authentic; its sender, being controlled, has to change its role")
    func sampleRequest() throws {
        var agent = ICELiteAgent(local: Self.asked, remoteFragment: Self.asking.ufrag)
        let request = try TestVector.bytes("rfc5769/sample-request.hex")
        let reaction = agent.receive(request, from: Self.source)
        let answer = try #require(reaction.answer)
        #expect(reaction.isCheck && agent.isValidated(Self.source) && answer.count <= request.count)
        let checks = Checks(local: Self.asked, remote: Self.asking)
        let message = try #require(checks.read(answer))
        #expect(message.errorCode?.code == 487)
        #expect(message.transaction == STUNTransactionID(high: 0xb7e7_a701, low: 0xbc34_d686_fa87_dfae))
    }

    @Test("Section 2.1: not with another password or user name, nor with one bit changed") func sampleRequestRefused()
        throws
    {
        let request = try TestVector.bytes("rfc5769/sample-request.hex")
        var other = ICELiteAgent(
            local: ICECredentials(ufrag: "evtj", password: "VOkJxbRl1RmTxUk/WvJxBu")!, remoteFragment: "h6vY")
        #expect(!other.receive(request, from: Self.source).isCheck)
        other = ICELiteAgent(local: Self.asked, remoteFragment: "h6vZ")
        #expect(!other.receive(request, from: Self.source).isCheck)
        for bit in 0..<(request.count * 8) {
            var changed = request
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            var agent = ICELiteAgent(local: Self.asked, remoteFragment: Self.asking.ufrag)
            #expect(!agent.receive(changed, from: Self.source).isCheck, "bit \(bit)")
        }
    }

    @Test(
        "Sections 2.2 and 2.3: the responses are accepted as answers to a check",
        arguments: ["sample-response-ipv4", "sample-response-ipv6"])
    func sampleResponses(name: String) throws {
        let response = try TestVector.bytes("rfc5769/\(name).hex")
        func agent() -> ICEFullAgent {
            let numbers: [UInt64] = [1, 0xb7e7_a701, 0xbc34_d686_fa87_dfae]
            var agent = ICEFullAgent(
                .init(local: Self.asking, remote: Self.asked), random: ScriptedGenerator(numbers: numbers), now: .zero)
            let candidate = ICECandidate(
                foundation: "1", transport: .udp, priority: 1, host: "192.0.2.1", port: 32_853)
            let isUsed = agent.add(candidate, now: .zero)
            #expect(isUsed)
            while agent.nextOutput() != nil {}
            return agent
        }
        /// Returns whether a second, nominating check follows.
        func isTaken(_ bytes: [UInt8], from source: PeerAddress = Self.source) -> Bool {
            var agent = agent()
            bytes.withUnsafeBytes { agent.receive($0, from: source, now: .milliseconds(1)) }
            return agent.nextOutput() != nil
        }
        #expect(isTaken(response))
        #expect(!isTaken(response, from: .peer(1)))
        for bit in 0..<(response.count * 8) {
            var changed = response
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!isTaken(changed), "bit \(bit)")
        }
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@Suite("Addresses of peers, in virtual time")
struct AddressTests {
    @Test("Checks of another client with a forged source address do not interrupt a publisher")
    func forgedSource() throws {
        let (call, victim) = try VirtualCall.withPublisher(seed: 81)
        let attacker = try call.publish(stream: "other", source: 2)
        let subscriber = try call.view()
        call.run(seconds: 3)
        var forged = 0
        attacker.alter = { bytes in
            guard bytes.withUnsafeBytes({ DatagramKind($0) == .stun }) else { return bytes }
            forged += 1
            call.network.send(bytes, from: victim.address, to: VirtualCall.relayAddress)
            return nil
        }
        let before = subscriber.reception
        call.run(seconds: 20)
        let after = subscriber.reception
        #expect(forged >= 3, "\(forged)")
        #expect(after.frames - before.frames >= 20 * 29 && after.longestPause < .milliseconds(100), "\(after)")
        #expect(subscriber.audio.isContiguous && victim.end == nil)
    }

    @Test("The address of a peer that has been silent for 4 s belongs to the client that sends checks from there")
    func reusedAddress() throws {
        let (call, gone) = try VirtualCall.withPublisher(seed: 82)
        let publisher = try call.publish(stream: "other", source: 2)
        call.run(seconds: 0.5)
        let subscriber = try call.view(stream: "other", source: 2)
        call.run(seconds: 3)
        gone.vanish()
        publisher.move(to: gone.address)
        call.run(seconds: 10)
        let before = subscriber.reception
        call.run(seconds: 5)
        let after = subscriber.reception
        #expect(after.frames - before.frames >= 5 * 29, "\(before) \(after)")
    }

    @Test("New advertised addresses are in later answers, and existing peers stay connected") func advertised() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 84) { $0.workers = 2 }
        let subscriber = try call.view()
        call.run(seconds: 2)
        let before = subscriber.reception
        try call.control { try $0.advertise(["10.0.0.8", "10.0.0.9"]) }
        let new = try (1...4).map { try call.publish("new \($0)", stream: "new").candidates }
        for candidates in new { #expect(candidates.map(\.host) == ["10.0.0.8", "10.0.0.9"]) }
        #expect(Set(new.joined().map(\.port)).count == 2, "both workers have new sessions")
        var request = PlainTransportRequest(direction: .publish, session: "plain")
        request.rtcpMux = true
        #expect(try call.control { try $0.openPlain(request) }.address == "10.0.0.8")
        #expect(try call.control { try $0.openPipeReceiver(session: "room", .random()) }.address == "10.0.0.8")
        call.run(seconds: 40)
        let after = subscriber.reception
        #expect(after.frames - before.frames >= 40 * 29 && publisher.end == nil, "\(before) \(after)")
        try call.control { try $0.advertise([]) }
        #expect(try call.publish("last", stream: "new").candidates.map(\.host) == ["0.0.0.0"])
    }

    @Test("Peers that have an answer and have not connected count as transports of their session")
    func unconnected() throws {
        let call = try VirtualCall(seed: 83) { $0.limits.transportsPerSession = 3 }
        for i in 1...3 { _ = try call.offerAlone(stream: "\(i)") }
        #expect(throws: EngineError.limitReached(name: "transportsPerSession", limit: 3)) {
            _ = try call.offerAlone(stream: "4")
        }
        // They end 15 s after the answer.
        call.run(seconds: 16)
        _ = try call.offerAlone(stream: "5")
    }
}

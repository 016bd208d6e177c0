import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing

@Suite("Wake-ups of an idle worker, in virtual time")
struct IdleTests {
    /// Runs the relay alone and returns how often it woke up. No datagram arrives in that time.
    private func wakeUps(of relay: VirtualEngine, from start: MediaTime, seconds: Double) -> Int {
        let end = start + .seconds(seconds)
        var count = 0
        while relay.deadline <= end {
            relay.run(at: relay.deadline)
            count += 1
            guard count < 100_000 else { break }
        }
        relay.run(at: end)
        return count
    }

    @Test("A worker without sessions has no deadline") func empty() throws {
        let call = try VirtualCall(seed: 51)
        call.run(seconds: 1)
        #expect(call.relay.deadline == .never)
        // Control calls wake it once.
        _ = try? call.control { try $0.closeStream(session: "none", stream: "none") }
        #expect(call.relay.deadline < .never)
        call.run(seconds: 1)
        #expect(call.relay.deadline == .never)
    }

    /// Half of the peer connections are publishers that send nothing, the others are subscribers. 1,000 of them take 12 s in a debug build.
    @Test(
        "Idle peer connections wake the worker at most once a second all together",
        arguments: LongTests.areEnabled ? [200, 1_000] : [200])
    func crowd(connections: Int) throws {
        let room = try VirtualSession(seed: 52, isNative: true)
        let count = connections / 2
        for number in 0..<count {
            let participant = room.join("p\(number)")
            participant.isSilent = true
            try room.publish("camera \(number)", by: participant)
        }
        try room.run(seconds: 0.5)
        for (number, participant) in room.participants.enumerated() {
            try room.subscribe(participant, to: "camera \((number + 1) % count)")
        }
        try room.run(seconds: 1.5)
        let counters = room.call.relay.counters
        #expect(counters.peersConnected == UInt64(connections))
        let relay = room.call.relay
        _ = wakeUps(of: relay, from: room.call.now, seconds: 2)
        let woken = wakeUps(of: relay, from: room.call.now + .seconds(2), seconds: 10)
        print("wake-ups of \(connections) idle peer connections in 10 s: \(woken)")
        // Each subscriber's estimate and layers are looked at every 5 s, at full seconds.
        #expect(woken <= 10)
        #expect(relay.counters.peersLostConsent == 0)
    }

    @Test("A session whose publisher pauses wakes the worker rarely, and media continue at once after the pause")
    func pause() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 53)
        let subscriber = try call.view()
        call.run(seconds: 3)
        #expect(subscriber.reception.frames > 60)
        publisher.alter = { bytes in bytes.withUnsafeBytes { DatagramKind($0) } == .rtp ? nil : bytes }
        // The active speaker is forgotten after 15 s.
        call.run(seconds: 20)
        let before = call.wakeUps
        call.run(seconds: 10)
        print("wake-ups in 10 s of a pause: \(call.wakeUps - before)")
        // Reports and estimates are due every 5 s.
        #expect(call.wakeUps - before <= 10)
        publisher.alter = nil
        let paused = subscriber.reception
        call.run(seconds: 2)
        #expect(subscriber.reception.frames > paused.frames + 50, "\(subscriber.reception)")
        #expect(subscriber.reception.audioPackets > paused.audioPackets + 90, "\(subscriber.reception)")
        #expect(publisher.end == nil && subscriber.end == nil)
    }

    @Test("A connected publisher that has sent nothing wakes the worker only for its consent")
    func silentPublisher() throws {
        let room = try VirtualSession(seed: 54, isNative: true)
        let participant = room.join("p")
        participant.isSilent = true
        try room.publish("camera", by: participant)
        try room.run(seconds: 2)
        #expect(room.call.relay.counters.peersConnected == 1)
        let before = room.call.wakeUps
        try room.run(seconds: 60)
        // Consent lasts 30 s from the last check.
        #expect(room.call.wakeUps - before <= 4)
        #expect(room.call.relay.counters.peersLostConsent == 0)
    }
}

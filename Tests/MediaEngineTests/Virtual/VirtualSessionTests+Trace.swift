import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

extension VirtualSessionTests {
    @Test("ISS-1 the trace holds all packets of the last 30 s in order, each with its outcome, and the decisions")
    func trace() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 21)
        let subscriber = try call.view()
        call.run(seconds: 40)
        try call.control {
            try $0.setMuted(session: publisher.session, stream: publisher.stream, kind: .audio, muted: true)
        }
        call.run(seconds: 2)
        subscriber.move(to: call.freeAddress(), isNoticed: true)
        call.run(seconds: 2)

        let published = try call.control { try $0.peerTrace(publisher.id, session: publisher.session) }
        #expect(published.published.count == 2 && published.subscribed.isEmpty)
        let audio = try #require(published.published.first { $0.kind == .audio }).headers
        #expect((1_450...1_510).contains(audio.count), "\(audio.count)")
        #expect(zip(audio, audio.dropFirst()).allSatisfy { $1.sequence == $0.sequence &+ 1 })
        #expect(zip(audio, audio.dropFirst()).allSatisfy { $1.timestamp == $0.timestamp &+ 960 })
        let ages = audio.map { $0.age(now: published.now) }
        #expect(ages.allSatisfy { $0 <= .seconds(30) } && zip(ages, ages.dropFirst()).allSatisfy { $0 > $1 })
        #expect(audio.allSatisfy { ($0.fate == .muted) == ($0.age(now: published.now) < .seconds(4)) })
        let frames = try #require(published.published.first { $0.kind == .video }).headers
        #expect(frames.contains { $0.flags.contains(.keyFrame) })
        #expect((880...920).contains(frames.count { $0.flags.contains(.marker) }))
        #expect(frames.allSatisfy { $0.fate == .forwarded && $0.bytes > 0 })

        let viewed = try call.control { try $0.peerTrace(subscriber.id, session: subscriber.session) }
        #expect(viewed.published.isEmpty && viewed.subscribed.count == 2)
        #expect(viewed.subscribed.allSatisfy { $0.sequenceOffset != nil && !$0.headers.isEmpty })
        let moves = viewed.decisions.filter { $0.kind == .moved }
        #expect(moves.count == 1 && viewed.decisions.allSatisfy { viewed.now - $0.at <= .seconds(30) })
        #expect(moves.allSatisfy { viewed.now - $0.at < .seconds(3) }, "\(moves)")
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import WebRTCClient

extension VirtualSessionTests {
    @Test("Of fourteen talkers the ten loudest are heard, and one who gets louder replaces the softest")
    func loudest() throws {
        let call = try VirtualCall(seed: 41)
        let publishers = try (0..<14).map { number in
            let client = try call.publish(stream: "\(number)", source: UInt32(number + 1), video: nil)
            client.publisher.level = AudioLevel(level: UInt8(20 + 3 * number), isVoice: true)
            return client
        }
        call.run(seconds: 1)
        let subscribers = try (0..<14).map { try call.view(stream: "\($0)", source: UInt32($0 + 1)) }
        call.run(seconds: 4)
        func heard(seconds: Double) -> [UInt64] {
            let before = subscribers.map(\.reception.audioPackets)
            call.run(seconds: seconds)
            return zip(subscribers, before).map { $0.reception.audioPackets - $1 }
        }
        let first = heard(seconds: 4)
        #expect(first[..<10].allSatisfy { $0 >= 199 } && first[10...].allSatisfy { $0 == 0 }, "\(first)")
        publishers[13].publisher.level = AudioLevel(level: 5, isVoice: true)
        call.run(seconds: 1)
        let second = heard(seconds: 4)
        #expect(second[..<9].allSatisfy { $0 >= 199 } && second[9...12].allSatisfy { $0 == 0 }, "\(second)")
        #expect(second[13] >= 199, "\(second)")
        #expect(subscribers.allSatisfy { $0.reception.wrong == 0 && ($0.audio.packets == 0 || $0.audio.isContiguous) })
        #expect(call.relay.counters.packetsWithheld > 1000)
    }

    @Test("A subscriber of audio alone sends receiver reports and no transport-wide feedback")
    func feedback() throws {
        let (call, _) = try VirtualCall.withPublisher(seed: 43)
        let audio = try call.view(video: false)
        let both = try call.view()
        call.run(seconds: 10)
        #expect(audio.audio.isContiguous && audio.reception.audioPackets > 450 && audio.reception.frames == 0)
        #expect(audio.statistics.feedbackSent == 0 && audio.statistics.reportsSent > 0)
        #expect(both.statistics.feedbackSent > 40)
    }

    @Test("The active speaker is reported, and a short interjection does not change it")
    func activeSpeaker() async throws {
        let call = try VirtualCall(seed: 42)
        let silence = AudioLevel.silence
        let speech = AudioLevel(level: 25, isVoice: true)
        let clients = try ["anna", "boris"].enumerated().map { number, name in
            let client = try call.publish(stream: name, source: UInt32(number + 1), video: nil)
            client.publisher.level = silence
            return client
        }
        call.run(seconds: 2)
        clients[0].publisher.level = speech
        call.run(seconds: 4)
        clients[1].publisher.level = speech
        call.run(seconds: 0.2)
        clients[1].publisher.level = silence
        call.run(seconds: 2)
        clients[0].publisher.level = silence
        clients[1].publisher.level = speech
        call.run(seconds: 4)
        call.control { $0.close() }
        var speakers: [String?] = []
        for await event in call.relay.events {
            if case .activeSpeaker(let session, _, let stream) = event, session == "room" { speakers.append(stream) }
        }
        #expect(speakers.prefix(2) == ["anna", "boris"], "\(speakers)")
    }
}

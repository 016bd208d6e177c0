import MediaBase
import MediaEngine
import MillraceTestKit
import RTP
import Testing
import WebRTCClient

@Suite("Feedback to publishers, in virtual time")
struct FeedbackTests {
    @Test(
        "A publisher whose video begins after its audio learns within 100 ms which of its first packets have arrived",
        arguments: 0..<6)
    func frameAfterAudio(_ phase: Int) throws {
        let room = try VirtualSession(seed: 90)
        let ada = room.join("Ada")
        try room.publish("voice", by: ada, video: [])
        try room.run(seconds: 2 + Double(phase) * 0.04)
        // Packets sent before the relay was connected, and those in flight at any time.
        var untold = UInt64.max
        for _ in 0..<200 {
            try room.run(seconds: 0.005)
            let statistics = ada.publishing.statistics
            untold = min(untold, statistics.sentPackets - min(statistics.sentPackets, statistics.acknowledged))
        }
        #expect(untold <= 5)
        try room.publish(
            "screen", by: ada, audio: false,
            video: [.init(width: 1_280, height: 720, bitrate: .kilobits(2_000))])
        var turns = 0
        while ada.published.last?.vp8?.number ?? 0 == 0, turns < 200 {
            try room.run(seconds: 0.005)
            turns += 1
        }
        let sent = ada.publishing.statistics.sentPackets
        try room.run(seconds: 0.1)
        let statistics = ada.publishing.statistics
        #expect(statistics.acknowledged + untold >= sent, "\(statistics.acknowledged) and \(untold) of \(sent)")
    }
}

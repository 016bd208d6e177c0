import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient
import WebRTCTestKit

extension VirtualSessionTests {
    private static let rids = ["l", "m", "h"].map { RID($0)! }

    @Test("A subscriber chooses its number of temporal layers; its sequence numbers continue")
    func temporalLayers() throws {
        let (call, _) = try VirtualCall.withPublisher(seed: 32, temporalLayers: 3)
        let subscriber = try call.view()
        call.run(seconds: 3)
        func frames(_ temporal: Int?) throws -> UInt64 {
            try call.control {
                try $0.setLayer(subscriber.id, session: "room", .upTo(spatial: nil, temporal: temporal))
            }
            // A layer is added when the stream's dependencies allow it.
            call.run(seconds: 1)
            let before = subscriber.reception.frames
            call.run(seconds: 4)
            return subscriber.reception.frames - before
        }
        #expect((119...121).contains(try frames(nil)))
        #expect((29...31).contains(try frames(0)))
        #expect((59...61).contains(try frames(1)))
        #expect((119...121).contains(try frames(2)))
        #expect(subscriber.frames.isContiguous && subscriber.audio.isContiguous, "\(subscriber.frames)")
        #expect(subscriber.reception.wrong == 0 && subscriber.reception.longestPause < .milliseconds(150))
    }

    @Test("A subscriber chooses an encoding by its name, and receives it within 250 ms")
    func chosenEncoding() throws {
        let (call, _) = try VirtualCall.withPublisher(
            seed: 33, rids: Self.rids, video: SyntheticVideo.Encoding.simulcast)
        let subscriber = try call.view()
        call.run(seconds: 6)
        for (encoding, rid) in [(0, "l"), (2, "h"), (1, "m"), (0, "l"), (1, "m")] {
            try call.control {
                try $0.setLayer(subscriber.id, session: "room", .encoding(RID(rid)!, temporal: nil))
            }
            call.run(seconds: 0.25)
            let before = subscriber.reception
            call.run(seconds: 1)
            let after = subscriber.reception
            #expect(after.frames > before.frames + 25, "\(rid)")
            let of = after.framesByEncoding[UInt8(encoding), default: 0]
            let had = before.framesByEncoding[UInt8(encoding), default: 0]
            #expect(of - had == after.frames - before.frames, "\(rid): \(before) \(after)")
        }
        let reception = subscriber.reception
        #expect(subscriber.frames.isContiguous && reception.wrong == 0, "\(subscriber.frames)")
        // A switch may send the frame of one instant in both encodings.
        #expect(reception.outOfOrder <= reception.switches, "\(reception)")
    }

    @Test(
        "A publisher restarts its encoder under another SSRC without signalling: subscribers continue at once",
        arguments: UInt64(0)..<6)
    func restartedEncoder(_ seed: UInt64) throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 40 + seed)
        let subscriber = try call.view()
        call.run(seconds: 2)
        for round in 0..<3 {
            // Audio, then video; the distance between old and new sequence numbers is random.
            for track in 0..<2 {
                publisher.endpoint.restartEncoding(track: track)
                let before = subscriber.reception
                call.run(seconds: 2)
                let after = subscriber.reception
                #expect(after.frames >= before.frames + 54, "round \(round), track \(track)")
                #expect(after.audioPackets >= before.audioPackets + 98, "round \(round), track \(track)")
            }
        }
        let reception = subscriber.reception
        #expect(reception.wrong == 0 && reception.longestPause < .milliseconds(250), "\(reception)")
        #expect(
            subscriber.frames.isContiguous && subscriber.audio.isContiguous, "\(subscriber.frames) \(subscriber.audio)")
        let tracks = try #require(try call.relay.streams(session: "room").first)
        #expect(tracks.audio != nil && tracks.video != nil)
        #expect(call.relay.counters.droppedTooOld == 0)
    }

    @Test("If one encoding of several restarts, its subscribers keep it")
    func restartedEncoding() throws {
        let (call, publisher) = try VirtualCall.withPublisher(
            seed: 46, rids: Self.rids, video: SyntheticVideo.Encoding.simulcast)
        let subscriber = try call.view()
        call.run(seconds: 6)
        for encoding in [0, 2, 1] {
            try call.control {
                try $0.setLayer(subscriber.id, session: "room", .encoding(Self.rids[encoding], temporal: nil))
            }
            call.run(seconds: 1)
            publisher.endpoint.restartEncoding(track: 1, encoding: encoding)
            let before = subscriber.reception
            call.run(seconds: 2)
            let after = subscriber.reception
            let had = before.framesByEncoding[UInt8(encoding), default: 0]
            #expect(after.framesByEncoding[UInt8(encoding), default: 0] >= had + 50, "\(encoding): \(before) \(after)")
        }
        #expect(
            subscriber.reception.wrong == 0 && subscriber.frames.isContiguous,
            "\(subscriber.reception) \(subscriber.frames)")
    }
}

import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import Testing
import Transport
import WebRTCClient

extension VirtualSessionTests {
    private static let rids = ["l", "m", "h"].map { RID($0)! }

    @Test("a viewer chooses how many temporal layers it gets; its numbers go on")
    func temporalLayers() throws {
        let (call, _) = try VirtualCall.withPublisher(seed: 32, temporalLayers: 3)
        let viewer = try call.view()
        call.run(seconds: 3)
        func pictures(_ temporal: Int?) throws -> UInt64 {
            try call.control {
                try $0.setLayer(viewer.id, session: "room", .upTo(spatial: nil, temporal: temporal))
            }
            // A layer is taken up where the stream allows it.
            call.run(seconds: 1)
            let before = viewer.reception.pictures
            call.run(seconds: 4)
            return viewer.reception.pictures - before
        }
        #expect((119...121).contains(try pictures(nil)))
        #expect((29...31).contains(try pictures(0)))
        #expect((59...61).contains(try pictures(1)))
        #expect((119...121).contains(try pictures(2)))
        #expect(viewer.pictures.isContiguous && viewer.sound.isContiguous, "\(viewer.pictures)")
        #expect(viewer.reception.wrong == 0 && viewer.reception.longestPause < .milliseconds(150))
    }

    @Test("a viewer chooses an encoding by its name, and gets it within 250 ms")
    func chosenEncoding() throws {
        let (call, _) = try VirtualCall.withPublisher(
            seed: 33, rids: Self.rids, video: SyntheticVideo.Encoding.simulcast)
        let viewer = try call.view()
        call.run(seconds: 6)
        for (place, rid) in [(0, "l"), (2, "h"), (1, "m"), (0, "l"), (1, "m")] {
            try call.control {
                try $0.setLayer(viewer.id, session: "room", .encoding(RID(rid)!, temporal: nil))
            }
            call.run(seconds: 0.25)
            let before = viewer.reception
            call.run(seconds: 1)
            let after = viewer.reception
            #expect(after.pictures > before.pictures + 25, "\(rid)")
            let of = after.picturesByEncoding[UInt8(place), default: 0]
            let had = before.picturesByEncoding[UInt8(place), default: 0]
            #expect(of - had == after.pictures - before.pictures, "\(rid): \(before) \(after)")
        }
        let reception = viewer.reception
        #expect(viewer.pictures.isContiguous && reception.wrong == 0, "\(viewer.pictures)")
        // A switch may show the picture of one instant in both encodings.
        #expect(reception.outOfOrder <= reception.switches, "\(reception)")
    }
}

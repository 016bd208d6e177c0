import MediaBase
import MillraceTestKit
import RTP
import Testing

@testable import MediaEngine

@Suite("Video of plain subscribers that listen late, in virtual time")
struct PlainStartTests {
    private func subscribe(in call: VirtualCall) throws -> PlainTransport {
        var request = PlainTransportRequest(direction: .subscribe, session: "room")
        request.address = "10.2.0.1"
        request.video = PlainTrackRequest(port: 6_000)
        return try call.control { try $0.openPlain(request) }
    }

    private func requestKeyFrame(_ id: TransportID, session: String = "room", in call: VirtualCall) throws {
        try call.control { try $0.requestKeyFrame(id, session: session) }
    }

    @Test("A WebRTC publisher is asked for a key frame when the transport opens, and after 1, 2 and 4 s")
    func keyFramesOfWebRTCPublisher() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 55)
        call.run(seconds: 3)
        let before = publisher.publisher.keyFrames
        _ = try subscribe(in: call)
        var counts: [UInt64] = []
        // Half a second after each of the four times, and between them.
        for seconds in [0.5, 1, 1, 1, 1, 1, 4] {
            call.run(seconds: seconds)
            counts.append(publisher.publisher.keyFrames - before)
        }
        #expect(counts == [1, 2, 3, 3, 4, 4, 4])
    }

    @Test("A control call requests one more, at most 3 in 10 s") func byControlCall() throws {
        let (call, publisher) = try VirtualCall.withPublisher(seed: 56)
        let transport = try subscribe(in: call)
        call.run(seconds: 6)
        let before = publisher.publisher.keyFrames
        for _ in 0..<6 {
            try requestKeyFrame(transport.id, in: call)
            call.run(seconds: 1)
        }
        #expect(publisher.publisher.keyFrames - before == 3)
        #expect(throws: EngineError.unknownTransport(publisher.id.rawValue)) {
            try requestKeyFrame(publisher.id, in: call)
        }
        #expect(throws: EngineError.unknownSession("none")) {
            try requestKeyFrame(transport.id, session: "none", in: call)
        }
    }

    #if DEBUG
        /// Sends a frame each tenth of a second; the first one is a key frame if `isKey`, the others depend on it.
        private func send(
            _ tenths: Int, isKey: Bool = false, from publisher: FaultBench.Publisher, in bench: FaultBench
        )
            throws
        {
            for number in 0..<tenths {
                try bench.send(publisher.video.frame(isKey: isKey && number == 0), from: publisher)
                try bench.run(for: .milliseconds(98))
            }
        }

        @Test(
            "A plain publisher's cached frames are sent again under new numbers if their key frame is older than 2.5 s")
        func cachedFrames() throws {
            let bench = try FaultBench(nil)
            let publisher = try bench.publish()
            try send(8, isKey: true, from: publisher, in: bench)
            let subscriber = try bench.view()
            try send(36, from: publisher, in: bench)
            #expect(publisher.keyFrameRequests == 2, "after 1 and 2 s")
            let keyFrames = { subscriber.packets(.video).filter { $0.descriptor?.isKeyFrameStart == true } }
            let early = keyFrames().count
            #expect(early == 2, "when the transport was opened, and after 2 s, when the key frame was 2.8 s old")
            try send(10, from: publisher, in: bench)
            #expect(publisher.keyFrameRequests == 3 && keyFrames().count == 3)
            let packets = subscriber.packets(.video)
            #expect(zip(packets, packets.dropFirst()).allSatisfy { $1.sequence == $0.sequence + 1 })
            // From each key frame on, all packets of the publisher in order, each with its own timestamp.
            #expect(Set(keyFrames().map(\.index)).count == 1 && Set(keyFrames().map(\.header.timestamp)).count == 1)
            let last = try #require(packets.lastIndex { $0.descriptor?.isKeyFrameStart == true })
            #expect(zip(packets[last...], packets[(last + 1)...]).allSatisfy { $1.index == $0.index + 1 })
            try send(60, from: publisher, in: bench)
            #expect(publisher.keyFrameRequests == 3 && keyFrames().count == 3, "not again")
        }

        @Test("The video of a subscriber that has sent RTCP is not started again") func listens() throws {
            let bench = try FaultBench(nil)
            let publisher = try bench.publish()
            try send(8, isKey: true, from: publisher, in: bench)
            let subscriber = try bench.view()
            try send(5, from: publisher, in: bench)
            try bench.sendRTCP(from: subscriber) { ReceiverReport(sender: SSRC(7)).write(into: &$0) }
            try send(60, from: publisher, in: bench)
            #expect(publisher.keyFrameRequests == 0)
            #expect(subscriber.packets(.video).count { $0.descriptor?.isKeyFrameStart == true } == 1)
        }
    #endif
}

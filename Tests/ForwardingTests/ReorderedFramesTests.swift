import Forwarding
import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("H.264 frames that are not sent in the order in which they are shown")
struct ReorderedFramesTests {
    /// A publisher of one packet a frame.
    final class Publisher {
        let producer: Producer
        private var sequence: UInt16 = 100

        init(_ codec: VideoCodec = .h264) {
            producer = Producer(
                .init(kind: .video, codec: codec, ssrc: SSRC(1), payloadType: PayloadType(98)), now: .zero)
        }

        /// - Parameter position: position in the order of display, in frames of 1/30 s.
        func send(_ position: Int, _ payload: [UInt8], skipping lost: UInt16 = 0, isRepeated: Bool = false) {
            if !isRepeated { sequence &+= 1 &+ lost }
            let header = RTPHeader(
                payloadType: PayloadType(98), sequenceNumber: SequenceNumber(isRepeated ? sequence &- 1 : sequence),
                timestamp: RTPTimestamp(UInt32(900_000 + position * 3_000)), ssrc: SSRC(1), marker: true,
                payloadLength: payload.count)
            var slot: UnsafeMutablePointer<StoredPacket>?
            _ = payload.withUnsafeBytes {
                producer.receive(header, payload: $0, now: .milliseconds(Int64(sequence) * 33), stored: &slot)
            }
        }
    }

    private static let slice: [UInt8] = [0x41, 0x9a, 1]

    @Test("STR-7 a parameter set tells of reordered frames")
    func declared() {
        for (set, expected) in [
            ("674d400aeca293c4446022000003000200000300281e244b2c", true),
            ("6764000aacb20a4f11118088000003000800000300a078913240", false),
        ] {
            let publisher = Publisher()
            publisher.send(0, TestVector.bytes(hexadecimal: set))
            publisher.send(1, Self.slice)
            #expect(publisher.producer.reordersFrames == expected)
        }
    }

    @Test("STR-7 timestamps tell of reordered frames, from the second step back on")
    func observed() {
        let publisher = Publisher()
        for position in [0, 3, 1, 2, 6] { publisher.send(position, Self.slice) }
        #expect(!publisher.producer.reordersFrames)
        publisher.send(4, Self.slice)
        #expect(publisher.producer.reordersFrames)
        publisher.producer.restart(ssrc: SSRC(2), first: SequenceNumber(7))
        #expect(!publisher.producer.reordersFrames, "another encoder")
    }

    @Test("Retransmissions, jumps of the clock and other codecs are not taken for reordered frames")
    func others() {
        let publisher = Publisher()
        for position in 0..<20 {
            publisher.send(2 * position + 1, Self.slice, skipping: 1)
            publisher.send(2 * position, Self.slice, isRepeated: true)
        }
        for position in [100, 40, 100, 40, 100, 40] { publisher.send(position, Self.slice) }
        #expect(!publisher.producer.reordersFrames)
        let other = Publisher(.vp8)
        for position in TestOrder.display { other.send(position, [0x10, 0x10, 0, 0, 0x9d, 0x01, 0x2a, 0, 1, 0, 1]) }
        #expect(!other.producer.reordersFrames)
    }

    private enum TestOrder { static let display = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8] }
}

import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("Frames of every codec from their payloads")
struct FrameDepacketizerTests {
    static func frame(
        _ payloads: [[UInt8]], _ codec: VideoCodec, byteCapacity: Int = FrameDepacketizer.defaultByteCapacity
    ) throws -> [UInt8] {
        var depacketizer = FrameDepacketizer(codec, byteCapacity: byteCapacity)
        depacketizer.begin()
        var frame: [UInt8] = []
        for payload in payloads { try payload.withUnsafeBytes { try depacketizer.append($0, to: &frame) } }
        try depacketizer.finish(&frame)
        return frame
    }

    /// Returns the number of bytes of the superframe index at the end of a VP9 frame.
    static func indexLength(_ frame: [UInt8]) -> Int {
        guard let marker = frame.last, marker & 0xe0 == 0xc0 else { return 0 }
        return 2 + Int(marker & 7 + 1) * Int(marker >> 3 & 3 + 1)
    }

    @Test("Recorded streams give the frames that other depacketizers read", arguments: RecordedVideo.samples)
    func recorded(sample: RecordedVideo.Sample) throws {
        let video = try RecordedVideo(sample.name)
        for frame in video.frames {
            let payloads = video.packets.filter { $0.timestamp == frame.timestamp }.map(\.payload)
            var bytes = try Self.frame(payloads, sample.codec)
            if sample.spatialLayers > 1 {
                let length = Self.indexLength(bytes)
                #expect(length > 2 && bytes[bytes.count - length] == bytes[bytes.count - 1])
                bytes.removeLast(length)
            }
            #expect(bytes.count == frame.length)
            #expect(Fingerprint.md5(bytes) == frame.digest)
        }
    }

    @Test("A frame with a missing packet is an error or differs from the sent one", arguments: RecordedVideo.samples)
    func missing(sample: RecordedVideo.Sample) throws {
        let video = try RecordedVideo(sample.name)
        for frame in video.frames {
            let payloads = video.packets.filter { $0.timestamp == frame.timestamp }.map(\.payload)
            for index in payloads.indices where payloads.count > 1 {
                var rest = payloads
                rest.remove(at: index)
                let bytes = try? Self.frame(rest, sample.codec)
                // Whole NAL units or layers can be missing; the caller knows the sequence numbers.
                #expect(bytes.map { Fingerprint.md5($0) } != frame.digest)
            }
        }
    }

    @Test("H.264 fragments that do not continue each other are errors") func brokenFragments() throws {
        let start: [UInt8] = [0x7c, 0x85, 1, 2]
        let middle: [UInt8] = [0x7c, 0x05, 3]
        let end: [UInt8] = [0x7c, 0x45, 4]
        #expect(try Self.frame([start, middle, end], .h264) == [0, 0, 0, 1, 0x65, 1, 2, 3, 4])
        for broken in [[middle], [end], [start, start], [start, [0x7c, 0x41, 3]], [start, end, end]] {
            #expect(throws: RTPError.invalid(.h264Fragment)) { try Self.frame(broken, .h264) }
        }
        for broken in [[start, [0x41, 1]], [start, [0x78, 0, 1, 0x41]]] as [[[UInt8]]] {
            #expect(throws: RTPError.invalid(.h264Fragment)) { try Self.frame(broken, .h264) }
        }
        #expect(throws: RTPError.truncated(.videoFrame)) { try Self.frame([start, middle], .h264) }
        #expect(throws: RTPError.truncated(.videoFrame)) { try Self.frame([], .h264) }
    }

    @Test("H.264 aggregates and single NAL units have start codes of four bytes") func aggregates() throws {
        let payloads: [[UInt8]] = [[0x78, 0, 2, 0x67, 1, 0, 1, 0x68], [0x65, 9]]
        #expect(try Self.frame(payloads, .h264) == [0, 0, 0, 1, 0x67, 1, 0, 0, 0, 1, 0x68, 0, 0, 0, 1, 0x65, 9])
        // A fragmented unit in one packet: some senders set S and E.
        #expect(try Self.frame([[0x7c, 0xc5, 7]], .h264) == [0, 0, 0, 1, 0x65, 7])
    }

    @Test("AV1 OBUs get a size; temporal delimiters, tile lists and empty elements are left out") func av1Units() throws
    {
        // W = 0: a temporal delimiter, an OBU with an extension, one with its own size, an empty element, a tile list.
        let all: [UInt8] = [0x00, 1, 0x10, 3, 0x34, 0x20, 7, 4, 0x32, 2, 5, 6, 0, 2, 0x40, 1]
        #expect(try Self.frame([all], .av1) == [0x36, 0x20, 1, 7, 0x32, 2, 5, 6])
        // W = 2, and the second OBU in three fragments, of which the first has only the header.
        let fragments: [[UInt8]] = [[0x60, 2, 0x08, 9, 0x30], [0xd0, 1, 2], [0x90, 3]]
        #expect(try Self.frame(fragments, .av1) == [0x0a, 1, 9, 0x32, 3, 1, 2, 3])
        let long = [UInt8](repeating: 5, count: 300)
        #expect(try Self.frame([[0x10, 0x30] + long], .av1) == [0x32, 0xac, 0x02] + long)
    }

    @Test("AV1 elements that do not continue each other, and damaged OBUs, are errors") func brokenAV1() {
        #expect(throws: RTPError.invalid(.av1Element)) { try Self.frame([[0x90, 1]], .av1) }
        #expect(throws: RTPError.invalid(.av1Element)) { try Self.frame([[0x50, 0x30, 1], [0x10, 0x30, 1]], .av1) }
        #expect(throws: RTPError.truncated(.videoFrame)) { try Self.frame([[0x50, 0x30, 1]], .av1) }
        #expect(throws: RTPError.truncated(.av1Element)) { try Self.frame([[0x00, 9, 0x30]], .av1) }
        #expect(throws: RTPError.truncated(.av1Element)) { try Self.frame([[0x30, 1, 0x30, 1, 0x30]], .av1) }
        #expect(throws: RTPError.truncated(.av1OBU)) { try Self.frame([[0x10, 0x34]], .av1) }
        #expect(throws: RTPError.invalid(.av1OBU)) { try Self.frame([[0x10, 0xb0, 1]], .av1) }
        #expect(throws: RTPError.invalid(.av1OBU)) { try Self.frame([[0x10, 0x32, 9, 1]], .av1) }
    }

    @Test("VP9 layers form a superframe, and fragments that do not continue are errors") func vp9Layers() throws {
        let base: [[UInt8]] = [[0xa8, 1, 0x00, 0, 1, 1], [0xa4, 1, 0x00, 0, 1]]
        let upper: [[UInt8]] = [[0xac, 1, 0x03, 0, 2, 2]]
        #expect(try Self.frame(base + upper, .vp9) == [1, 1, 1, 2, 2, 0xc1, 3, 2, 0xc1])
        #expect(try Self.frame(base, .vp9) == [1, 1, 1])
        #expect(throws: RTPError.invalid(.vp9Payload)) { try Self.frame([base[1]], .vp9) }
        #expect(throws: RTPError.invalid(.vp9Payload)) { try Self.frame([base[0], upper[0]], .vp9) }
        #expect(throws: RTPError.truncated(.videoFrame)) { try Self.frame([base[0]], .vp9) }
        #expect(throws: RTPError.invalid(.vp9Payload)) {
            try Self.frame(Array(repeating: upper[0], count: 9), .vp9)
        }
        let large = [UInt8](repeating: 1, count: 300)
        let sizes = try Self.frame([upper[0] + large, upper[0] + large], .vp9).suffix(6)
        #expect(sizes == [0xc9, 0x2e, 0x01, 0x2e, 0x01, 0xc9])
    }

    @Test("VP8 frames are those of its packetizer") func vp8() throws {
        var packetizer = VP8Packetizer(maximumPayloadLength: 100)
        let frame = [UInt8](repeating: 7, count: 1_000)
        let payloads = packetizer.payloads(of: frame)
        #expect(try Self.frame(payloads, .vp8) == frame)
        #expect(throws: RTPError.invalid(.vp8Payload)) { try Self.frame(Array(payloads.dropFirst()), .vp8) }
        #expect(throws: RTPError.invalid(.vp8Payload)) { try Self.frame(payloads + payloads, .vp8) }
    }

    @Test("A frame beyond the maximum size is an error", arguments: VideoCodec.allCases)
    func capacity(codec: VideoCodec) throws {
        let body = [UInt8](repeating: 1, count: 100)
        let (first, rest): ([UInt8], [UInt8]) =
            switch codec {
            case .vp8: ([0x10], [0x00])
            case .h264: ([0x7c, 0x85], [0x7c, 0x05])
            case .vp9: ([0x08], [0x00])
            case .av1: ([0x50, 0x30], [0xd0])
            }
        let payloads = [first + body] + Array(repeating: rest + body, count: 10)
        #expect(throws: RTPError.invalid(.videoFrame)) { try Self.frame(payloads, codec, byteCapacity: 1_000) }
        if codec == .vp8 { #expect(try Self.frame(payloads, codec, byteCapacity: 1_100).count == 1_100) }
    }
}

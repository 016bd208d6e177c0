import MediaBase
import RTP
import Testing

@Suite("A complete key frame behind a gap ends the wait for the missing packets")
struct VP8FrameAssemblerSkippingTests {
    private typealias Base = VP8FrameAssemblerTests

    private let stream = Base.stream(frames: 30, keyFrameEvery: 10)

    private func packets(of frame: Int64) -> [VP8FrameAssemblerTests.Packet] {
        stream.packets.filter { $0.timestamp == frame * 3_000 }
    }

    @Test("Only if this is enabled, and once the key frame's last packet has arrived", arguments: [false, true])
    func skips(_ skips: Bool) throws {
        let lost = try #require(packets(of: 13).first)
        let late = try #require(packets(of: 20).last)
        var assembler = FrameAssembler(maximumWait: .seconds(1), skipsToKeyFrames: skips)
        for packet in stream.packets where packet.sequence != lost.sequence && packet.sequence != late.sequence {
            Base.insert(packet, into: &assembler)
        }
        #expect(Base.drain(&assembler).frames.map(\.bytes) == Array(stream.frames[..<13]))
        Base.insert(late, into: &assembler)
        let out = Base.drain(&assembler)
        #expect(out.frames.map(\.bytes) == (skips ? Array(stream.frames[20...]) : []))
        #expect(out.gaps == (skips ? [.init(firstSequence: lost.sequence, count: 1, needsKeyFrame: true)] : []))
        #expect((assembler.nextTimeout == nil) == skips)
    }

    @Test("Packets that arrive before the key frame is complete fill the gap") func mends() throws {
        let lost = try #require(packets(of: 13).first)
        let end = try #require(packets(of: 20).last).sequence
        var assembler = FrameAssembler(maximumWait: .seconds(1), skipsToKeyFrames: true)
        for packet in stream.packets where packet.sequence != lost.sequence && packet.sequence < end {
            Base.insert(packet, into: &assembler)
        }
        for packet in [lost] + stream.packets.filter({ $0.sequence >= end }) { Base.insert(packet, into: &assembler) }
        let out = Base.drain(&assembler)
        #expect(out.frames.map(\.bytes) == stream.frames)
        #expect(out.gaps.isEmpty && assembler.droppedFrames == 0)
    }

    @Test("Packets of a key frame in any order") func disorder() throws {
        let lost = try #require(packets(of: 13).first)
        let key = packets(of: 20)
        var assembler = FrameAssembler(maximumWait: .seconds(1), skipsToKeyFrames: true)
        for packet in stream.packets where packet.sequence != lost.sequence && packet.timestamp < key[0].timestamp {
            Base.insert(packet, into: &assembler)
        }
        for packet in key.reversed() { Base.insert(packet, into: &assembler) }
        #expect(Base.drain(&assembler).frames.map(\.bytes) == Array(stream.frames[..<13]) + [stream.frames[20]])
    }
}

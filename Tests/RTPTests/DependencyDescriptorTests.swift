import MillraceTestKit
import RTP
import Testing

@Suite("Dependency descriptors (RTP Payload Format for AV1, appendix A)")
struct DependencyDescriptorTests {
    /// Identifier of the header extension in the recordings.
    private static let identifier: UInt8 = 14

    static func parse(_ bytes: [UInt8], _ structure: inout DependencyStructure?) throws -> DependencyDescriptor {
        try bytes.withUnsafeBytes { try DependencyDescriptor(parsing: $0, structure: &structure) }
    }

    /// Returns the data of the descriptors of a recording.
    static func recorded(_ name: String) throws -> [[UInt8]] {
        try RecordedVideo(name).packets.map { packet in
            try packet.bytes.withUnsafeBytes { bytes in
                let element = try #require(packet.header.extensions(in: bytes).first(id: Self.identifier))
                return Array(bytes[element.offset..<(element.offset + element.length)])
            }
        }
    }

    static func references(_ descriptor: DependencyDescriptor) -> [UInt16] {
        (0..<descriptor.references.count).map { descriptor.frameNumber &- descriptor.references[$0] }
    }

    /// Frame numbers, layers and references are those that the receiving Chromium reported for its frames.
    @Test("AV1 of Chromium with three temporal layers") func temporalLayers() throws {
        var structure: DependencyStructure?
        let descriptors = try Self.recorded("chromium-156-av1-layers").map { try Self.parse($0, &structure) }
        #expect(descriptors.map(\.frameNumber) == [1, 2, 3, 4])
        #expect(descriptors.map(\.temporalLayer) == [0, 2, 0, 2] && descriptors.allSatisfy { $0.spatialLayer == 0 })
        #expect(descriptors.map(Self.references) == [[], [1], [], [3]])
        #expect(descriptors.map(\.hasStructure) == [true, false, true, false])
        #expect(descriptors.map(\.activeTargets) == [7, nil, 7, nil])
        #expect(descriptors.allSatisfy { $0.isFrameStart && $0.isFrameEnd })
        #expect(descriptors.allSatisfy { $0.size?.width == 96 && $0.size?.height == 64 })
        let kept = try #require(structure)
        #expect(kept.decodeTargetCount == 3 && kept.chainCount == 1)
        // A frame of the highest layer belongs to the last decode target only.
        #expect(descriptors[0].indications[0] == .switching && descriptors[1].indications[2] == .discardable)
        #expect(descriptors[1].indications[0] == .notPresent && descriptors[1].indications[1] == .notPresent)
    }

    @Test("VP9 of Chromium with two spatial layers") func spatialLayers() throws {
        var structure: DependencyStructure?
        let descriptors = try Self.recorded("chromium-156-vp9-descriptor").map { try Self.parse($0, &structure) }
        #expect(descriptors.map(\.frameNumber) == [1, 2, 3, 4, 4])
        #expect(descriptors.map(\.spatialLayer) == [0, 1, 0, 1, 1])
        #expect(descriptors.map(\.temporalLayer) == [0, 0, 1, 1, 1])
        #expect(descriptors.map { Set(Self.references($0)) } == [[], [1], [1], [2, 3], [2, 3]])
        #expect(descriptors.map(\.isFrameStart) == [true, true, true, true, false])
        #expect(descriptors.map(\.isFrameEnd) == [true, true, true, false, true])
        #expect(descriptors.map { $0.size?.width } == [240, 480, 240, 480, 480])
        #expect(descriptors.map { $0.size?.height } == [136, 272, 136, 272, 272])
    }

    @Test("Custom indications, references, chains and active targets replace those of the template") func custom()
        throws
    {
        var bits = BitWriter()
        bits.bits(0xc5, 8)
        bits.bits(0xfffe, 16)
        // Structure, active targets, indications, references and chains are present.
        bits.bits(0x1f, 5)
        // Templates from 5 on, two decode targets, one template in the base layer.
        bits.bits(5, 6)
        bits.bits(1, 5)
        bits.bits(3, 2)
        bits.bits(0xa, 4)
        // Template references 3 and 16, two chains that protect one target each.
        bits.bits(1, 1)
        bits.bits(2, 4)
        bits.bits(1, 1)
        bits.bits(15, 4)
        bits.bits(0, 1)
        bits.bits(3, 2)
        bits.bits(0, 1)
        bits.bits(1, 1)
        bits.bits(0x56, 8)
        bits.bits(0, 1)
        // Active target 1; indications required and discardable; references 256 and 4,096; chains 200 and 7.
        bits.bits(2, 2)
        bits.bits(0xd, 4)
        bits.bits(2, 2)
        bits.bits(255, 8)
        bits.bits(3, 2)
        bits.bits(4_095, 12)
        bits.bits(0, 2)
        bits.bits(200, 8)
        bits.bits(7, 8)
        var structure: DependencyStructure?
        let descriptor = try Self.parse(bits.bytes, &structure)
        #expect(descriptor.activeTargets == 2)
        #expect(descriptor.indications[0] == .required && descriptor.indications[1] == .discardable)
        #expect(descriptor.references.count == 2)
        #expect(descriptor.references[0] == 256 && descriptor.references[1] == 4_096)
        #expect(descriptor.chains[0] == 200 && descriptor.chains[1] == 7 && descriptor.size == nil)
        // The template itself stays as it is.
        let next = try Self.parse([0xc5, 0xff, 0xff], &structure)
        #expect(next.indications[0] == .switching && next.indications[1] == .switching)
        #expect(next.references.count == 2 && next.references[0] == 3 && next.references[1] == 16)
        #expect(next.chains[0] == 5 && next.chains[1] == 6 && next.activeTargets == nil)
        #expect(throws: RTPError.invalid(.dependencyDescriptor)) { try Self.parse([0xc4, 0, 0], &structure) }
    }

    @Test("A descriptor needs a structure with its template, and damage keeps the structure") func faults() throws {
        let all = try Self.recorded("chromium-156-av1-layers")
        var structure: DependencyStructure?
        #expect(throws: RTPError.unexpected(.dependencyDescriptor)) { try Self.parse(all[1], &structure) }
        for length in 0..<3 {
            #expect(throws: RTPError.truncated(.dependencyDescriptor)) {
                try Self.parse(Array(all[0][..<length]), &structure)
            }
        }
        for length in 4..<(all[0].count - 1) {
            #expect(throws: RTPError.truncated(.dependencyDescriptor)) {
                try Self.parse(Array(all[0][..<length]), &structure)
            }
        }
        #expect(structure == nil)
        _ = try Self.parse(all[0], &structure)
        let kept = structure
        // Template 63 is not in the structure, with and without another structure in the descriptor.
        #expect(throws: RTPError.invalid(.dependencyDescriptor)) { try Self.parse([0xff, 0, 1], &structure) }
        #expect(throws: RTPError.invalid(.dependencyDescriptor)) { try Self.parse([0xff] + all[2][1...], &structure) }
        #expect(structure == kept)
    }

    @Test("A shifted frame number wraps; other fields stay") func shift() throws {
        var structure: DependencyStructure?
        var bytes = try Self.recorded("chromium-156-av1-layers")[0]
        let before = try Self.parse(bytes, &structure)
        bytes.withUnsafeMutableBytes { DependencyDescriptor.shiftFrameNumber(in: $0, by: 0xffff) }
        let after = try Self.parse(bytes, &structure)
        #expect(before.frameNumber == 1 && after.frameNumber == 0 && after.indications == before.indications)
        var short: [UInt8] = [0xc0, 1]
        short.withUnsafeMutableBytes { DependencyDescriptor.shiftFrameNumber(in: $0, by: 1) }
        #expect(short == [0xc0, 1])
    }

    @Test("No damaged descriptor traps the parser") func damaged() throws {
        let corpus = try ["chromium-156-av1-layers", "chromium-156-vp9-descriptor"].flatMap(Self.recorded)
        var structure: DependencyStructure?
        var parsed = 0
        MutationFuzzer(corpus: corpus, seed: 41).run(count: LongTests.inputs(100_000)) { bytes in
            guard let descriptor = try? DependencyDescriptor(parsing: bytes, structure: &structure) else { return }
            parsed += 1
            for target in 0..<32 { _ = descriptor.indications[target] }
            for index in 0..<descriptor.references.count where descriptor.references[index] == 0 {
                Issue.record("a frame that refers to itself")
            }
            if descriptor.spatialLayer > 3 || descriptor.temporalLayer > 7 { Issue.record("\(descriptor)") }
        }
        #expect(parsed > 20_000, "\(parsed)")
    }

    @Test("No damaged descriptor puts a packet beyond the order of layers") func damagedLayers() throws {
        let corpus = try ["chromium-156-av1-layers", "chromium-156-vp9-descriptor"].flatMap(Self.recorded)
        var reader = LayerReader()
        var random = SeededGenerator(seed: 43)
        var switches = 0
        MutationFuzzer(corpus: corpus, seed: 42).run(count: LongTests.inputs(100_000)) { bytes in
            var facts = FrameFacts()
            facts.fields.layer = 9
            reader.read(bytes, sequence: Int64(bitPattern: random.next() >> 1), into: &facts)
            if reader.hasStructure, facts.fields.layer > LayerOrder.noLimit { Issue.record("\(facts)") }
            if max(facts.fields.switches, facts.fields.ends) > 0xf { Issue.record("\(facts)") }
            if facts.fields.switches != 0 { switches += 1 }
            if random.below(1_000) == 0 { reader = LayerReader() }
        }
        #expect(switches > 5_000, "\(switches)")
    }
}

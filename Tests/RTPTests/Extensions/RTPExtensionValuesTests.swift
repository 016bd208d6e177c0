import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("One scan of the header extensions of a packet")
struct RTPExtensionValuesTests {
    static let mid = MID("video-section-16")!
    static let rid = RID("hi")!

    static func map(from first: UInt8 = 1) -> RTPExtensionMap {
        var map = RTPExtensionMap()
        for kind in RTPExtensionKind.allCases { map[kind] = first + kind.rawValue }
        return map
    }

    /// Returns a packet with every extension, behind two CSRCs.
    static func packet(
        _ form: RTPHeaderExtensions.Form, map: RTPExtensionMap = map(), captureOffset: Int64? = 5
    ) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 128)
        let length = block.withUnsafeMutableBytes { room in
            var writer = RTPHeaderExtensionWriter(buffer: room, form: form)
            let isWritten = [
                writer.append(AudioLevel(level: 33, isVoice: true), as: map),
                writer.append(mid, as: map), writer.append(rid, as: map),
                writer.append(rid, kind: .repairedRID, as: map),
                writer.append(AbsoluteSendTime(rawValue: 0x123456), as: map),
                writer.append(TransportSequence(SequenceNumber(0xfffe)), as: map),
                writer.append(AbsoluteCaptureTime(NTPTime(rawValue: 77), offset: captureOffset), as: map),
                writer.append(PlayoutDelay(minimum: .milliseconds(10), maximum: .milliseconds(500)), as: map),
                writer.append(VideoOrientation(.threeQuarters), as: map),
            ]
            #expect(isWritten.allSatisfy { $0 })
            return writer.finish()
        }
        return [0x92, 111, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 1, 1, 1, 1, 2, 2, 2, 2] + block[..<length] + [9, 9, 9]
    }

    static func scan(_ packet: [UInt8], _ map: RTPExtensionMap) throws -> (RTPExtensionValues, MID?, RID?, RID?) {
        try packet.withUnsafeBytes { packet in
            let values = RTPExtensionValues(try RTPHeader(parsing: packet), in: packet, map: map)
            return (values, values.mid(in: packet), values.rid(in: packet), values.repairedRID(in: packet))
        }
    }

    static func expectEverything(_ packet: [UInt8], _ map: RTPExtensionMap) throws {
        let (values, mid, rid, repaired) = try scan(packet, map)
        #expect(values.audioLevel == AudioLevel(level: 33, isVoice: true))
        #expect(values.sendTime == AbsoluteSendTime(rawValue: 0x123456))
        #expect(values.transportSequence == TransportSequence(SequenceNumber(0xfffe)))
        #expect(values.captureTime == AbsoluteCaptureTime(NTPTime(rawValue: 77), offset: 5))
        #expect(values.playoutDelay == PlayoutDelay(minimum: .milliseconds(10), maximum: .milliseconds(500)))
        #expect(values.videoOrientation == VideoOrientation(.threeQuarters))
        #expect(mid == Self.mid && rid == Self.rid && repaired == Self.rid)
    }

    @Test("Every value", arguments: [RTPHeaderExtensions.Form.oneByte, .twoByte])
    func everyValue(form: RTPHeaderExtensions.Form) throws {
        try Self.expectEverything(Self.packet(form), Self.map())
    }

    @Test("Numbers that only the two-byte form supports", arguments: [15, 100, 246] as [UInt8])
    func highNumbers(first: UInt8) throws {
        let map = Self.map(from: first)
        try Self.expectEverything(Self.packet(.twoByte, map: map), map)
    }

    @Test("RFC 8285 section 4.1.2: one stream may use both forms, packet by packet")
    func mixedForms() throws {
        for form in [RTPHeaderExtensions.Form.oneByte, .twoByte, .oneByte, .twoByte] {
            try Self.expectEverything(Self.packet(form), Self.map())
        }
    }

    @Test func nothingWithoutAMapOrAnExtension() throws {
        for (packet, map) in [(Self.packet(.oneByte), RTPExtensionMap()), (RTPHeaderTests.plain, Self.map())] {
            let (values, mid, rid, repaired) = try Self.scan(packet, map)
            #expect(values.audioLevel == nil && values.sendTime == nil && values.transportSequence == nil)
            #expect(values.captureTime == nil && values.playoutDelay == nil)
            #expect(!values.mid.isPresent && mid == nil && rid == nil && repaired == nil)
        }
    }

    /// Returns a packet of the one-byte form with these elements.
    static func packet(elements: [UInt8]) -> [UInt8] {
        let padded = elements + [UInt8](repeating: 0, count: -elements.count & 3)
        return [0x90, 111, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0xbe, 0xde, 0, UInt8(padded.count / 4)] + padded
    }

    @Test func unknownNumbersAreSteppedOver() throws {
        var map = RTPExtensionMap()
        map[.audioLevel] = 9
        let (values, _, _, _) = try Self.scan(Self.packet(elements: [0x12, 1, 2, 3, 0, 0x90, 0x85, 0x20, 1]), map)
        #expect(values.audioLevel == AudioLevel(level: 5, isVoice: true))
    }

    @Test func theFirstOfTwoCountsAndWrongLengthsDoNot() throws {
        var map = RTPExtensionMap()
        map[.audioLevel] = 1
        map[.transportWideCC] = 2
        map[.mid] = 3
        // A level of two bytes, two levels, a number of one byte, two MIDs.
        let (values, mid, _, _) = try Self.scan(
            Self.packet(elements: [0x11, 1, 2, 0x10, 7, 0x10, 8, 0x20, 9, 0x30, 0x61, 0x30, 0x62]), map)
        #expect(values.audioLevel == AudioLevel(level: 7, isVoice: false))
        #expect(values.transportSequence == nil)
        #expect(mid == MID("a"))
    }

    @Test func textThatIsNoIdentifierIsNone() throws {
        var map = RTPExtensionMap()
        map[.mid] = 1
        map[.rid] = 2
        let (values, mid, rid, _) = try Self.scan(Self.packet(elements: [0x11, 0x61, 0x00, 0x21, 0x61, 0x2f]), map)
        #expect(values.mid.isPresent && mid == nil)
        #expect(values.rid.isPresent && rid == nil)
    }

    @Test("No input traps the scan, and it finds the same as a search by number")
    func hostileInput() {
        let corpus = [
            Self.packet(.oneByte), Self.packet(.twoByte), Self.packet(.oneByte, captureOffset: nil),
            RTPHeaderTests.everything,
        ]
        let map = Self.map()
        var found = [0, 0, 0, 0, 0, 0]
        MutationFuzzer(corpus: corpus, seed: 64).run(count: 100_000) { packet in
            guard let header = try? RTPHeader(parsing: packet) else { return }
            let values = RTPExtensionValues(header, in: packet, map: map)
            if values.audioLevel != nil { found[0] += 1 }
            if values.sendTime != nil { found[1] += 1 }
            if values.captureTime != nil { found[2] += 1 }
            if values.mid(in: packet) != nil { found[3] += 1 }
            if values.rid(in: packet) != nil { found[4] += 1 }
            if let number = values.transportSequence {
                found[5] += 1
                // Unless a broken one came first, this is the first element of its number.
                let element = header.extensions(in: packet).first(id: map[.transportWideCC]!)
                if let element, element.length == 2,
                    UInt16(packet[element.offset]) << 8 | UInt16(packet[element.offset + 1]) != number.number.rawValue
                {
                    Issue.record("another number than the search finds")
                }
            }
        }
        #expect(found.allSatisfy { $0 > 10_000 }, "\(found)")
    }
}

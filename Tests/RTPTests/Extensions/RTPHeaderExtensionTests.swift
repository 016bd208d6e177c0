import RTP
import Testing

@Suite("RTP header extension elements (RFC 8285)")
struct RTPHeaderExtensionTests {
    struct Element: Equatable {
        let id: UInt8
        let data: [UInt8]
    }

    static func elements(_ profile: UInt16, _ bytes: [UInt8]) -> [Element] {
        bytes.withUnsafeBytes { bytes in
            RTPHeaderExtensions(profile: profile, packet: bytes, offset: 0, length: bytes.count).map {
                Element(id: $0.id, data: Array(bytes[$0.offset..<($0.offset + $0.length)]))
            }
        }
    }

    @Test("Section 4.2: the example of the one-byte form")
    func oneByteExample() {
        let bytes: [UInt8] = [0x10, 0xa0, 0x21, 0xb0, 0xb1, 0, 0, 0x33, 0xc0, 0xc1, 0xc2, 0xc3]
        #expect(
            Self.elements(0xbede, bytes) == [
                Element(id: 1, data: [0xa0]), Element(id: 2, data: [0xb0, 0xb1]),
                Element(id: 3, data: [0xc0, 0xc1, 0xc2, 0xc3]),
            ])
    }

    @Test("Section 4.3: the example of the two-byte form", arguments: [0x1000, 0x1001, 0x100f] as [UInt16])
    func twoByteExample(profile: UInt16) {
        let bytes: [UInt8] = [1, 0, 2, 1, 0xb0, 0, 3, 4, 0xc0, 0xc1, 0xc2, 0xc3]
        #expect(
            Self.elements(profile, bytes) == [
                Element(id: 1, data: []), Element(id: 2, data: [0xb0]), Element(id: 3, data: [0xc0, 0xc1, 0xc2, 0xc3]),
            ])
    }

    @Test("Section 4.2: number 15 ends the walk") func fifteenStops() {
        #expect(Self.elements(0xbede, [0x10, 1, 0xf0, 2, 0x20, 3]) == [Element(id: 1, data: [1])])
    }

    @Test func givesWhatComesBeforeDamage() {
        #expect(Self.elements(0xbede, [0x10, 1, 0x23, 2, 3, 4]) == [Element(id: 1, data: [1])])
        #expect(Self.elements(0x1000, [1, 1, 1, 2, 9, 0]) == [Element(id: 1, data: [1])])
        #expect(Self.elements(0x1000, [1, 1, 1, 2]) == [Element(id: 1, data: [1])])
    }

    @Test("Profiles of neither form", arguments: [0, 0xbedf, 0x1010, 0xffff] as [UInt16])
    func otherProfiles(profile: UInt16) {
        #expect(Self.elements(profile, [0x10, 1, 0x10, 1]).isEmpty)
    }

    @Test func findsAnElementInAPacket() throws {
        try RTPHeaderTests.everything.withUnsafeBytes { packet in
            let extensions = try RTPHeader(parsing: packet).extensions(in: packet)
            #expect(extensions.first(id: 2) == RTPHeaderExtension(id: 2, offset: 27, length: 2))
            #expect(extensions.first(id: 3) == nil)
        }
    }

    @Test("Written extensions are read back unchanged", arguments: [RTPHeaderExtensions.Form.oneByte, .twoByte])
    func writing(form: RTPHeaderExtensions.Form) {
        var bytes = [UInt8](repeating: 0xee, count: 64)
        let data: [UInt8] = [7, 8, 9]
        let length = bytes.withUnsafeMutableBytes { room in
            var writer = RTPHeaderExtensionWriter(buffer: room, form: form)
            let isWritten = data.withUnsafeBytes { writer.append(id: 4, data: $0) }
            #expect(isWritten)
            writer.reserve(id: 14, length: 16)?.copyBytes(from: 0..<16)
            return writer.finish()
        }
        #expect(length % 4 == 0)
        #expect(Int(bytes[2]) << 8 | Int(bytes[3]) == length / 4 - 1)
        #expect(
            Self.elements(form.profile, Array(bytes[4..<length])) == [
                Element(id: 4, data: data), Element(id: 14, data: Array(0..<16)),
            ])
        #expect(bytes[length...].allSatisfy { $0 == 0xee })
    }

    @Test func refusesWhatDoesNotFit() {
        var bytes = [UInt8](repeating: 0, count: 16)
        bytes.withUnsafeMutableBytes { room in
            var oneByte = RTPHeaderExtensionWriter(buffer: room, form: .oneByte)
            for (id, length) in [(0, 1), (15, 1), (1, 0), (1, 17), (1, 12)] as [(UInt8, Int)] {
                let reserved = oneByte.reserve(id: id, length: length)
                #expect(reserved == nil, "\(length) bytes under \(id)")
            }
            let written = oneByte.finish()
            #expect(written == 0)
            var twoByte = RTPHeaderExtensionWriter(buffer: room, form: .twoByte)
            let empty = twoByte.reserve(id: 255, length: 0)
            #expect(empty?.count == 0)
            let tooLong = twoByte.reserve(id: 1, length: 256)
            #expect(tooLong == nil)
        }
    }
}

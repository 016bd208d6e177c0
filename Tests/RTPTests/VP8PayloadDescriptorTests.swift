import MediaBase
import MillraceTestKit
import RTP
import Testing

@Suite("VP8 payload descriptor (RFC 7741)")
struct VP8PayloadDescriptorTests {
    static func parse(_ bytes: [UInt8]) throws -> VP8PayloadDescriptor {
        try bytes.withUnsafeBytes { try VP8PayloadDescriptor(parsing: $0) }
    }

    @Test("Section 4.6.1: key frame in a single packet, PictureID 17") func keyFrame() throws {
        let descriptor = try Self.parse([0x90, 0x80, 0x11, 0x10, 0, 0])
        #expect(descriptor.startOfPartition && descriptor.partitionID == 0 && !descriptor.nonReference)
        #expect(descriptor.pictureID == 17 && descriptor.pictureIDWidth == 1 && descriptor.pictureIDOffset == 2)
        #expect(descriptor.headerLength == 3 && descriptor.isKeyFrameStart)
    }

    @Test("Section 4.6.2: interframe without PictureID") func interframe() throws {
        let descriptor = try Self.parse([0x10, 0x01, 0])
        #expect(descriptor.headerLength == 1 && descriptor.isFrameStart && !descriptor.isKeyFrameStart)
        #expect(!descriptor.hasPictureID && !descriptor.hasTL0PicIdx && !descriptor.hasTemporalID)
    }

    @Test("Section 4.6.5: long PictureID 4711") func longPictureID() throws {
        let descriptor = try Self.parse([0x80, 0x80, 0x92, 0x67, 0x00])
        #expect(descriptor.pictureID == 4_711 && descriptor.pictureIDWidth == 2)
        #expect(descriptor.headerLength == 4 && !descriptor.isFrameStart && !descriptor.isKeyFrameStart)
    }

    @Test func allFields() throws {
        let descriptor = try Self.parse([0xb7, 0xf0, 0xff, 0xff, 0x2a, 0xbf, 0x01])
        #expect(descriptor.nonReference && descriptor.startOfPartition && descriptor.partitionID == 7)
        #expect(descriptor.pictureID == 0x7fff)
        #expect(descriptor.tl0PicIdx == 0x2a && descriptor.tl0PicIdxOffset == 4)
        #expect(descriptor.hasTemporalID && descriptor.temporalID == 2 && descriptor.layerSync)
        #expect(descriptor.hasKeyIndex && descriptor.keyIndex == 31)
        #expect(descriptor.headerLength == 6)
    }

    @Test("Every combination of optional fields is written as it is read", arguments: 0..<64)
    func roundTrip(bits: Int) throws {
        var descriptor = VP8PayloadDescriptor(startOfPartition: bits & 1 != 0, nonReference: bits & 2 != 0)
        descriptor.pictureIDWidth = bits & 4 == 0 ? 0 : bits & 8 == 0 ? 1 : 2
        descriptor.pictureID = bits & 4 == 0 ? 0 : 0x55
        descriptor.tl0PicIdxOffset = bits & 16 == 0 ? 0 : 2
        descriptor.tl0PicIdx = bits & 16 == 0 ? 0 : 200
        descriptor.hasTemporalID = bits & 32 != 0
        descriptor.temporalID = bits & 32 != 0 ? 1 : 0
        var bytes = [UInt8](repeating: 1, count: VP8PayloadDescriptor.maximumLength + 1)
        let length = bytes.withUnsafeMutableBytes { descriptor.write(into: $0) }
        let read = try Self.parse(Array(bytes[...length]))
        #expect(read.headerLength == length)
        #expect(read.startOfPartition == descriptor.startOfPartition && read.nonReference == descriptor.nonReference)
        #expect(read.pictureIDWidth == descriptor.pictureIDWidth && read.pictureID == descriptor.pictureID)
        #expect(read.hasTL0PicIdx == descriptor.hasTL0PicIdx && read.tl0PicIdx == descriptor.tl0PicIdx)
        #expect(read.hasTemporalID == descriptor.hasTemporalID && read.temporalID == descriptor.temporalID)
    }

    @Test func patchesInPlace() throws {
        var bytes: [UInt8] = [0x90, 0xe0, 0x80, 0x01, 0x02, 0x40, 0x01]
        let descriptor = try Self.parse(bytes)
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            descriptor.patch(pictureID: 0xffff, tl0PicIdx: 0xfe, in: base)
        }
        #expect(bytes == [0x90, 0xe0, 0xff, 0xff, 0xfe, 0x40, 0x01])
        var narrow: [UInt8] = [0x90, 0x80, 0x11, 0x10]
        let short = try Self.parse(narrow)
        narrow.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            short.patch(pictureID: 0x1234, tl0PicIdx: 0xfe, in: base)
        }
        #expect(narrow == [0x90, 0x80, 0x34, 0x10])
    }

    @Test func refusesWhatIsCutShort() {
        let whole: [UInt8] = [0x90, 0xf0, 0x80, 0x01, 0x02, 0x40, 0x01]
        for length in 0..<6 {
            #expect(throws: RTPError.truncated(.vp8Descriptor)) { try Self.parse(Array(whole[..<length])) }
        }
        #expect(throws: RTPError.truncated(.vp8Payload)) { try Self.parse(Array(whole[..<6])) }
        #expect(throws: RTPError.truncated(.vp8Payload)) { try Self.parse([0x10]) }
    }

    @Test("Frames recorded from other programs", arguments: ["ffmpeg-5.1-vp8", "gstreamer-1.22-vp8"])
    func capturedFrames(name: String) throws {
        let descriptors = try TestVector.datagrams("captures/\(name).hex", "rtp").map { packet in
            try packet.withUnsafeBytes { packet in
                let header = try RTPHeader(parsing: packet)
                let payload = UnsafeRawBufferPointer(rebasing: packet[header.payloadOffset...])
                let descriptor = try VP8PayloadDescriptor(parsing: payload)
                #expect(descriptor.isFrameStart && descriptor.pictureIDWidth == 2)
                if descriptor.isKeyFrameStart {
                    let size = descriptor.keyFrameSize(in: payload)
                    #expect(size?.width == 32 && size?.height == 32)
                }
                return descriptor
            }
        }
        #expect(descriptors[0].isKeyFrameStart && !descriptors[1].isKeyFrameStart)
        #expect(zip(descriptors, descriptors.dropFirst()).allSatisfy { $1.pictureID == ($0.pictureID + 1) & 0x7fff })
    }

    @Test("RFC 6386 section 9.1: the size in a key frame's header") func keyFrameSize() throws {
        let frame: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0x00, 0x45, 0xd0, 0xc2]
        let size = frame.withUnsafeBytes { VP8FrameHeader.keyFrameSize(of: $0) }
        #expect(size?.width == 1_280 && size?.height == 720)
        for length in 0..<10 {
            #expect(frame[..<length].withUnsafeBytes { VP8FrameHeader.keyFrameSize(of: $0) } == nil)
        }
        #expect(([0x11] + frame[1...]).withUnsafeBytes { VP8FrameHeader.keyFrameSize(of: $0) } == nil)
    }
}

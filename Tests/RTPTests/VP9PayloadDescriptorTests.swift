import MillraceTestKit
import RTP
import Testing

@Suite("VP9 payload descriptor (RFC 9628)")
struct VP9PayloadDescriptorTests {
    static func parse(_ bytes: [UInt8]) throws -> VP9PayloadDescriptor {
        try bytes.withUnsafeBytes { try VP9PayloadDescriptor(parsing: $0) }
    }

    @Test func onlyTheRequiredByte() throws {
        let descriptor = try Self.parse([0x0d, 0x82])
        #expect(descriptor.startsLayerFrame && descriptor.endsLayerFrame && descriptor.isNotReferenceForHigherLayers)
        #expect(descriptor.headerLength == 1 && !descriptor.hasPictureID && !descriptor.hasTL0PicIdx)
        #expect(descriptor.isFrameStart && !descriptor.isInterPredicted && !descriptor.isFlexible)
    }

    @Test func layersWithoutFlexibleMode() throws {
        let descriptor = try Self.parse([0xec, 0xff, 0xfe, 0x55, 0x2a, 0x82])
        #expect(descriptor.pictureID == 0x7ffe && descriptor.pictureIDOffset == 1 && descriptor.pictureIDWidth == 2)
        #expect(descriptor.temporalID == 2 && descriptor.isSwitchingUpPoint && descriptor.spatialID == 2)
        #expect(descriptor.dependsOnLowerLayer && descriptor.tl0PicIdx == 0x2a && descriptor.tl0PicIdxOffset == 4)
        #expect(descriptor.headerLength == 5 && descriptor.startsLayerFrame && !descriptor.isFrameStart)
        let narrow = try Self.parse([0xac, 0x11, 0x00, 0x07, 0x82])
        #expect(narrow.pictureID == 0x11 && narrow.pictureIDWidth == 1 && narrow.tl0PicIdxOffset == 3)
    }

    @Test("Flexible mode has up to three reference indices and no TL0PICIDX") func flexible() throws {
        let three = try Self.parse([0xfc, 0x11, 0x20, 0x03, 0x05, 0x06, 0x82])
        #expect(three.isFlexible && three.headerLength == 6 && three.tl0PicIdxOffset == 0 && three.temporalID == 1)
        #expect(throws: RTPError.invalid(.vp9Descriptor)) {
            try Self.parse([0xfc, 0x11, 0x20, 0x03, 0x05, 0x07, 0x02, 0x82])
        }
        // References are differences of PictureIDs, which must be present.
        #expect(throws: RTPError.invalid(.vp9Descriptor)) { try Self.parse([0x1c, 0x82]) }
        // A key frame has no references.
        #expect(try Self.parse([0xbc, 0x11, 0x20, 0x82]).headerLength == 3)
    }

    @Test("The scalability structure states the size of each layer and the frames of a group") func scalability() throws
    {
        // Three layers with sizes; two frames of a group with one and two references.
        let bytes: [UInt8] =
            [0x8a, 0x11, 0x58, 0x01, 0x40, 0x00, 0xb4, 0x02, 0x80, 0x01, 0x68, 0x05, 0x00, 0x02, 0xd0]
            + [0x02, 0x04, 0x01, 0x28, 0x01, 0x02, 0x82]
        let descriptor = try Self.parse(bytes)
        #expect(descriptor.spatialLayers == 3 && descriptor.width == 1_280 && descriptor.height == 720)
        #expect(descriptor.headerLength == bytes.count - 1)
        for length in 2..<(bytes.count - 1) {
            #expect(throws: RTPError.truncated(.vp9Scalability)) { try Self.parse(Array(bytes[..<length])) }
        }
        #expect(throws: RTPError.truncated(.vp9Payload)) { try Self.parse(bytes.dropLast()) }
        let plain = try Self.parse([0x8a, 0x11, 0x20, 0x82])
        #expect(plain.spatialLayers == 2 && plain.width == 0 && plain.headerLength == 3)
    }

    @Test func refusesTruncatedDescriptors() {
        let whole: [UInt8] = [0xec, 0xff, 0xfe, 0x55, 0x2a]
        for length in 0..<5 {
            #expect(throws: RTPError.truncated(.vp9Descriptor)) { try Self.parse(Array(whole[..<length])) }
        }
        #expect(throws: RTPError.truncated(.vp9Payload)) { try Self.parse(whole) }
    }

    /// Made by libvpx (FFmpeg 5.1) from frames of 66x50.
    @Test(
        "Key frame headers of each profile and color space",
        arguments: [
            "8249834200041003160638241c18", "a24983420000820062c0c7048383",
            "a2498342e0041003160638241c18", "92498342000208018b031c120e0c", "b124c1a10200208018b031c120e0",
            "b124c1a138010400c5818e090706",
        ])
    func frameHeaders(hexadecimal: String) throws {
        let bytes = TestVector.bytes(hexadecimal: hexadecimal)
        let header = try bytes.withUnsafeBytes { try VP9FrameHeader(parsing: $0) }
        #expect(header.isKeyFrame && header.width == 66 && header.height == 50)
        for length in 0..<8 {
            #expect(throws: RTPError.truncated(.vp9FrameHeader)) {
                try bytes[..<length].withUnsafeBytes { try VP9FrameHeader(parsing: $0) }
            }
        }
    }

    @Test("Headers of other frames, and no header") func otherHeaders() throws {
        for bytes in [[0x86], [0x8a]] as [[UInt8]] {
            let header = try bytes.withUnsafeBytes { try VP9FrameHeader(parsing: $0) }
            #expect(!header.isKeyFrame && header.width == 0)
        }
        for bytes in [[0x46, 0], [0x82, 0x49, 0x83, 0x43, 0], [0xb8, 0]] as [[UInt8]] {
            #expect(throws: RTPError.invalid(.vp9FrameHeader)) {
                try bytes.withUnsafeBytes { try VP9FrameHeader(parsing: $0) }
            }
        }
    }
}

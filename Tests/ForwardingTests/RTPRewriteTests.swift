import MillraceTestKit
import RTP
import Testing

@testable import Forwarding

@Suite("Rewriting of VP8 descriptors")
struct RTPRewriteTests {
    private func patch(_ payload: [UInt8], pictureID: UInt16, tl0: UInt8) throws -> VP8PayloadDescriptor {
        var rewrite = RTPRewrite()
        rewrite.pictureIDOffset = pictureID
        rewrite.tl0PictureIndexOffset = tl0
        var copy = payload
        let descriptor = try payload.withUnsafeBytes { try VP8PayloadDescriptor(parsing: $0) }
        var reader = FrameReader(.vp8)
        let facts = try payload.withUnsafeBytes { try reader.read($0, timestamp: 0) }
        copy.withUnsafeMutableBufferPointer { rewrite.patch($0.baseAddress!, facts.fields) }
        let changed = zip(payload, copy).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
        #expect(changed.allSatisfy { $0 > 1 && $0 < descriptor.headerLength })
        return try copy.withUnsafeBytes { try VP8PayloadDescriptor(parsing: $0) }
    }

    @Test("15-bit PictureIDs wrap at 32,767", arguments: [UInt16(0), 1, 127, 128, 32_766, 32_767])
    func wide(_ id: UInt16) throws {
        let payload: [UInt8] = [0x90, 0xe0, 0x80 | UInt8(id >> 8), UInt8(id & 0xff), 200, 0x20, 0x11, 9]
        for offset: UInt16 in [1, 255, 32_767, 32_768, 65_535] {
            let patched = try patch(payload, pictureID: offset, tl0: 100)
            #expect(patched.pictureIDWidth == 2 && patched.pictureID == (id &+ offset) & 0x7fff)
            #expect(patched.tl0PicIdx == 44)
        }
    }

    @Test("7-bit PictureIDs keep their width", arguments: [UInt16(0), 1, 126, 127])
    func narrow(_ id: UInt16) throws {
        let payload: [UInt8] = [0x90, 0xc0, UInt8(id), 3, 0x11, 9]
        for offset: UInt16 in [1, 127, 128, 300, 65_535] {
            let patched = try patch(payload, pictureID: offset, tl0: 0)
            #expect(patched.pictureIDWidth == 1 && patched.pictureID == (id &+ offset) & 0x7f)
            #expect(patched.tl0PicIdx == 3)
        }
    }

    @Test("A descriptor without these fields is not changed")
    func absent() throws {
        let patched = try patch([0x10, 0x11, 9], pictureID: 77, tl0: 7)
        #expect(!patched.hasPictureID && !patched.hasTL0PicIdx)
        #expect(RTPRewrite().patchesPayload == false)
    }
}

import MediaBase
import RTP
import Testing

@Suite("Video orientation (RFC 7742 section 4)")
struct VideoOrientationTests {
    @Test("CAN-3 the two lowest bits are the rotation in steps of 90 degrees clockwise, the others are ignored")
    func layout() throws {
        for byte in UInt8.min...UInt8.max {
            let parsed = try #require(RTPExtensionValueTests.parse(VideoOrientation.self, [byte]))
            #expect(parsed.rotation.rawValue == Int(byte & 3) * 90)
            #expect(RTPExtensionValueTests.bytes(parsed) == [byte])
        }
        for rotation in Rotation.allCases {
            #expect(VideoOrientation(rotation).rotation == rotation && VideoOrientation(rotation).rawValue < 4)
        }
        #expect(RTPExtensionValueTests.parse(VideoOrientation.self, []) == nil)
        #expect(RTPExtensionValueTests.parse(VideoOrientation.self, [1, 1]) == nil)
    }
}

import RTP
import Testing

@Suite("Numbers of header extensions (RFC 8285 section 5)")
struct RTPExtensionMapTests {
    @Test func eachKindHasItsOwnNumber() {
        var map = RTPExtensionMap()
        #expect(map.isEmpty)
        for kind in RTPExtensionKind.allCases { map[kind] = kind.rawValue + 3 }
        for kind in RTPExtensionKind.allCases {
            #expect(map[kind] == kind.rawValue + 3)
            #expect(map.kind(of: kind.rawValue + 3) == kind)
        }
        for id in UInt8.min...UInt8.max where !(3...10).contains(id) { #expect(map.kind(of: id) == nil) }
        map[.rid] = nil
        #expect(map.kind(of: RTPExtensionKind.rid.rawValue + 3) == nil && map[.rid] == nil)
        #expect(!map.isEmpty)
    }

    @Test func numbersAbove14NeedTheTwoByteForm() {
        var map = RTPExtensionMap()
        map[.playoutDelay] = 14
        #expect(!map.needsTwoByteForm)
        map[.mid] = 15
        #expect(map.needsTwoByteForm)
    }

    @Test func urisNameTheirKinds() {
        for kind in RTPExtensionKind.allCases { #expect(RTPExtensionKind(uri: kind.uri) == kind) }
        #expect(RTPExtensionKind(uri: "urn:ietf:params:rtp-hdrext:toffset") == nil)
    }
}

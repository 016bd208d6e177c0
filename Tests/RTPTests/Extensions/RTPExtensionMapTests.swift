import MillraceTestKit
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
        for id in UInt8.min...UInt8.max where !(3...12).contains(id) { #expect(map.kind(of: id) == nil) }
        map[.rid] = nil
        #expect(map.kind(of: RTPExtensionKind.rid.rawValue + 3) == nil && map[.rid] == nil)
        #expect(!map.isEmpty)
    }

    @Test("Any numbers, including duplicates: the first kind with the number counts")
    func anyNumbers() {
        #expect(RTPExtensionKind.allCases.count <= 16, "the map has 16 ids")
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            var map = RTPExtensionMap()
            let ids = RTPExtensionKind.allCases.map { _ in UInt8([0, 1, 2, 127, 128, 254, 255, 17][random.below(8)]) }
            for (kind, id) in zip(RTPExtensionKind.allCases, ids) { map[kind] = id == 0 ? nil : id }
            for id in [0, 1, 2, 3, 16, 17, 126, 127, 128, 129, 254, 255] as [UInt8] {
                let expected = id == 0 ? nil : ids.firstIndex(of: id).map { RTPExtensionKind.allCases[$0] }
                #expect(map.kind(of: id) == expected)
            }
        }
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

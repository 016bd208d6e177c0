import MillraceTestKit
import RTP
import Testing

@Suite("JSON of the ids of header extensions")
struct RTPExtensionMapJSONTests {
    private static let mid = RTPExtensionKind.mid.uri
    private static let rid = RTPExtensionKind.rid.uri

    @Test("A map of all extensions is the same after a way through JSON") func roundTrip() throws {
        var map = RTPExtensionMap()
        for (index, kind) in RTPExtensionKind.allCases.enumerated() {
            map[kind] = UInt8(index + 5) == 15 ? 255 : UInt8(index + 5)
        }
        #expect(try JSONFaults.decoded(map) == map && !map.isEmpty)
        #expect(try JSONFaults.decoded(RTPExtensionMap()).isEmpty)
        let faults = try JSONFaults(of: map)
        #expect(faults.strange.isEmpty && faults.optional.count == RTPExtensionKind.allCases.count, "\(faults)")
    }

    @Test(
        "Reserved ids, an id of two extensions and unknown extensions are refused",
        arguments: [
            "{\"\(mid)\": 0}", "{\"\(mid)\": 15}", "{\"\(mid)\": 256}", "{\"\(mid)\": -1}", "{\"\(mid)\": \"1\"}",
            "{\"\(mid)\": 3, \"\(rid)\": 3}", "{\"urn:other\": 1}", "[]",
        ])
    func invalid(_ json: String) {
        #expect(throws: DecodingError.self) { try JSONFaults.decode(RTPExtensionMap.self, json) }
    }
}

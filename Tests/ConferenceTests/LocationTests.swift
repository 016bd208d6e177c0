import Conference
import MillraceTestKit
import Signaling
import Testing

@Suite struct LocationTests {
    @Test(
        "A location is the same after a way through JSON, and JSON with faults is refused",
        arguments: [Location.mainSession, .subsession(SubsessionID(rawValue: "b1"))])
    func json(_ location: Location) throws {
        #expect(try JSONFaults.decoded(location) == location)
        let faults = try JSONFaults(of: location)
        #expect(faults.optional.isEmpty && faults.strange.isEmpty && faults.refused > 10, "\(faults)")
    }
}

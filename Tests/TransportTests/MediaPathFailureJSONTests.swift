import MillraceTestKit
import Testing
import Transport

@Suite("JSON of failures of media paths")
struct MediaPathFailureJSONTests {
    @Test(
        "A failure is the same after a way through JSON, and JSON with faults is refused",
        arguments: [
            MediaPathFailure.noPackets, .noHandshake(hasBegun: true), .noHandshake(hasBegun: false), .noMedia,
        ])
    func roundTrip(_ failure: MediaPathFailure) throws {
        #expect(try JSONFaults.decoded(failure) == failure)
        let faults = try JSONFaults(of: failure) { _ = $0.explanation }
        #expect(faults.optional.isEmpty && faults.strange.isEmpty && faults.refused > 10, "\(faults)")
    }
}

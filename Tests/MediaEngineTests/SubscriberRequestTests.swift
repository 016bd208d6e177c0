import MediaBase
import RTP
import Testing

@testable import MediaEngine

@Suite("Requests in subscribers' RTCP")
struct SubscriberRequestTests {
    /// Returns the requests in a compound, nil for packets without one.
    private func requests(_ write: (inout [UInt8]) -> Void) throws -> [SubscriberRequest?] {
        var bytes: [UInt8] = []
        write(&bytes)
        return try bytes.withUnsafeBytes { try RTCPCompound(parsing: $0).map { try SubscriberRequest($0) } }
    }

    @Test("NACK requests packets, PLI and FIR request key frames, a report requests nothing") func kinds() throws {
        let all = try requests {
            ReceiverReport(sender: SSRC(1)).write(into: &$0)
            GenericNACK(sender: SSRC(1), media: SSRC(2), sequences: [SequenceNumber(7), SequenceNumber(9)]).write(
                into: &$0)
            PLI(sender: SSRC(1), media: SSRC(3)).write(into: &$0)
        }
        #expect(
            all == [nil, .packets([SequenceNumber(7), SequenceNumber(9)], of: SSRC(2)), .keyFrames(of: [SSRC(3)])])
    }

    @Test("A PLI without media source is malformed") func malformed() throws {
        var isRefused = false
        do {
            _ = try requests { $0 = [0x81, 206, 0, 1, 0, 0, 0, 1] }
        } catch {
            isRefused = true
        }
        #expect(isRefused)
    }
}

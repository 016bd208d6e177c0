import Testing

@testable import LoadGenerator

@Suite("Audio packets that name their source") struct VoicePacketTests {
    @Test(
        "A parsed packet has the source and send time of the written one", arguments: [0, 1, .max] as [UInt32],
        [0, 1, .max] as [Int64])
    func roundTrip(source: UInt32, sentAt: Int64) {
        let packet = VoicePacket(source: source, sentAt: sentAt)
        let payload = packet.payload
        #expect(payload.count == 160)
        #expect(payload.withUnsafeBytes { VoicePacket(parsing: $0) } == packet)
    }

    @Test("Payloads of another length, with another first byte or with altered padding are not packets")
    func altered() {
        let payload = VoicePacket(source: 7, sentAt: 9).payload
        let others: [[UInt8]] = [
            [], Array(payload.dropLast()), payload + [0], [payload[0] ^ 1] + payload.dropFirst(),
            payload.dropLast() + [1],
        ]
        for other in others { #expect(other.withUnsafeBytes { VoicePacket(parsing: $0) } == nil) }
    }
}

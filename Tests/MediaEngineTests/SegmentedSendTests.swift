import CLinuxNet
import MediaBase
import Testing

@Suite("Segmented sends")
struct SegmentedSendTests {
    @Test("A message that the kernel does not segment is sent datagram by datagram", arguments: [200, 513])
    func tooManySegments(_ count: Int) throws {
        let sender = try Endpoint()
        let receiver = try Endpoint()
        let bytes = (0..<(count * 10 + 3)).map { UInt8(truncatingIfNeeded: $0 / 10) }
        #expect(sender.sendSegmented(bytes, segment: 10, to: receiver.port).refused == 0)
        var got: [UInt8] = []
        for i in 0...count {
            let datagram = try #require(receiver.receive(within: .seconds(5)))
            #expect(datagram.count == (i < count ? 10 : 3))
            got += datagram
        }
        #expect(got == bytes)
        #expect(receiver.receive(within: .zero) == nil)
    }

    @Test("A message that cannot be sent at all is refused once")
    func refused() throws {
        let sender = try Endpoint()
        // Port 0 is not a valid destination.
        let outcome = sender.sendSegmented([UInt8](repeating: 0, count: 100), segment: 10, to: 0)
        #expect(outcome.refused == 1 && outcome.errno != 0)
    }
}

import Forwarding
import MediaBase
import RTP
import SDP
import SRTP
import Testing
import Transport

@testable import MediaEngine

@Suite("Allocation of subscribers' paths")
struct SubscriberAllocatorTests {
    /// A subscriber with one video section, and the keys of its path.
    private final class Subscriber {
        let protector = FanoutProtector(.evp)
        let transport: SubscribeTransport

        init(_ feedback: TrackDescription.Feedback) {
            let session = EngineSession(name: "a", loudest: 0)
            let egressContext = protector.makeContext(key: .random(for: .aeadAES128GCM))
            let address = PeerAddress(SocketAddress("10.0.0.1", port: 9)!)
            let path = session.router.open(
                EgressPath(address: address.address, context: egressContext, tagLength: 16, lane: .webRTC))
            transport = SubscribeTransport(
                id: TransportID(rawValue: "1"), session: session, subsession: "", egressContext: egressContext,
                path: path,
                at: address,
                estimate: BandwidthEstimator.Configuration(), now: .zero)
            let section = TrackDescription(
                mid: MID("0")!,
                codecs: [CodecDescription(video: .vp8, payloadType: PayloadType(96), feedback: feedback)])
            transport.admit(section, now: .zero)
        }

        deinit { protector.freeContext(transport.egressContext) }
    }

    /// Measures the only packet of a compound.
    private func measure(
        _ bytes: [UInt8], of subscriber: Subscriber, _ allocator: inout SubscriberAllocator,
        _ counters: inout EngineCounters
    ) throws -> Bool {
        var isSooner = false
        try bytes.withUnsafeBytes {
            for packet in try RTCPCompound(parsing: $0) {
                isSooner =
                    allocator.measure(packet, subscriber.transport, now: .seconds(1), &counters) || isSooner
            }
        }
        return isSooner
    }

    @Test("A lower REMB makes an allocation due at once; the same REMB again does not") func lowerEstimate() throws {
        let subscriber = Subscriber(.remb)
        var allocator = SubscriberAllocator()
        var counters = EngineCounters()
        var bytes: [UInt8] = []
        REMB(sender: SSRC(1), bitrate: .kilobits(100), sources: []).write(into: &bytes)
        let first = try measure(bytes, of: subscriber, &allocator, &counters)
        let second = try measure(bytes, of: subscriber, &allocator, &counters)
        #expect(first && !second && subscriber.transport.nextAllocation == .zero)
    }

    @Test("A subscriber that negotiated no feedback is not measured") func noFeedback() throws {
        let subscriber = Subscriber([])
        var allocator = SubscriberAllocator()
        var counters = EngineCounters()
        var bytes: [UInt8] = []
        REMB(sender: SSRC(1), bitrate: .kilobits(100), sources: []).write(into: &bytes)
        let isSooner = try measure(bytes, of: subscriber, &allocator, &counters)
        #expect(!isSooner && subscriber.transport.estimator == nil && allocator.nextProbe == .never)
    }
}

import Forwarding
import MediaBase
import SRTP
import Testing

@testable import MediaEngine

@Suite("Tracks of a subscriber")
struct SubscribeTransportTests {
    @Test("A track is found by its number and by its SSRC while it exists") func lookUp() {
        let protector = FanoutProtector(.evp)
        let egressContext = protector.makeContext(key: .random(for: .aeadAES128GCM))
        defer { protector.freeContext(egressContext) }
        let transport = SubscribeTransport(
            id: TransportID(rawValue: "1"), session: EngineSession(name: "a", loudest: 0), rtcpMux: true,
            egressContext: egressContext,
            targets: [], wantsAllStreams: true)
        let tracks = (0..<200 as Range<UInt32>).map { number in
            SubscribedTrack(
                streamName: "\(number)", kind: .audio, path: 0, ssrc: SSRC(1_000 + 7 * number),
                payloadType: PayloadType(111), progress: .init(firstSequence: 1))
        }
        for track in tracks { transport.add(track) }
        for track in tracks where track.id % 3 == 0 { transport.remove(track) }
        for track in tracks {
            let isThere = track.id % 3 != 0
            #expect((transport.track(of: track.ssrc) === track) == isThere)
            #expect((transport.track(track.id) === track) == isThere)
        }
        #expect(transport.track(of: SSRC(1)) == nil && transport.tracks.count == 133)
        // Another track under an SSRC that is free again.
        transport.add(tracks[0])
        #expect(tracks[0].id == 200 && transport.track(of: tracks[0].ssrc) === tracks[0])
    }
}

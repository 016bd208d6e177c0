import MediaBase
import RTP
import TestMedia
import Testing

@testable import LoadGenerator

@Suite("Reception of one subscriber") struct ReceptionTests {
    private static let second: Int64 = 1_000_000_000

    private func header(_ ssrc: UInt32, _ number: UInt16) -> RTPHeader {
        RTPHeader(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(number), timestamp: RTPTimestamp(0),
            ssrc: SSRC(ssrc))
    }

    private func reception(feed: SampleFeed? = nil) -> Reception {
        Reception(
            tracks: [TrackReception(ssrc: 1, kind: .audio), TrackReception(ssrc: 2, kind: .video)], joined: 0,
            feed: feed)
    }

    @Test("Packets count for the track of their SSRC, and packets of other SSRCs for none")
    func tracks() {
        var reception = reception()
        for (ssrc, number, isKnown) in [(1, 0, true), (2, 0, true), (2, 2, true), (3, 0, false)]
            as [(UInt32, UInt16, Bool)]
        {
            #expect(reception.record(header(ssrc, number), bytes: 100, now: 5_000) == isKnown)
        }
        var total = ReceptionStatistics()
        reception.add(to: &total, now: 3 * Self.second)
        #expect(total.packets == 3 && total.bytes == 300)
        #expect(total.expected == 4 && total.lost == 1)
        #expect(total.tracks == 2 && total.silentTracks == 0)
        #expect(total.firstPacket.count == 1 && total.firstPacket.maximum == 5)
    }

    @Test("A track without packets is silent from two seconds after the join on", arguments: [(2, 0), (3, 2)])
    func silence(seconds: Int64, tracks: UInt64) {
        var total = ReceptionStatistics()
        reception().add(to: &total, now: seconds * Self.second)
        #expect(total.silentTracks == tracks)
    }

    @Test("Key frames are requested only if the decoder needs one, at most twice a second")
    func keyFrameRequests() {
        let source = SampleFeed.Source(
            relayKey: nil, audioSSRC: nil, videoSSRC: 2, tone: nil, format: nil, sendOffset: 0, joined: 0)
        let feed = SampleFeed(source: source, wakeUp: -1)
        var reception = reception(feed: feed)
        func requests() -> Int {
            (0...10).count { reception.takeKeyFrameRequest(now: Int64($0) * Self.second / 10) }
        }
        #expect(requests() == 0)
        feed.wantsKeyFrame = true
        #expect(requests() == 2)
    }

    @Test("Missing packets are listed only if they are to be requested", arguments: [true, false])
    func missing(requestsMissing: Bool) {
        var track = TrackReception(ssrc: 2, kind: .video, requestsMissing: requestsMissing)
        for number: UInt16 in [0, 2] { track.record(header(2, number), bytes: 100, now: 0) }
        #expect(track.isMissingPackets == requestsMissing)
    }
}

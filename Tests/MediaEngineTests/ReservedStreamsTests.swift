import MediaBase
import SDP
import Testing

@testable import MediaEngine

@Suite("Streams whose publishers have not connected yet")
struct ReservedStreamsTests {
    private func section(_ stream: String, _ kind: MediaKind, startsMuted: Bool = false) -> PublishedSection {
        let codec = CodecDescription(video: kind == .video ? .vp8 : nil, payloadType: PayloadType(96))
        return PublishedSection(
            stream: stream, track: TrackDescription(mid: MID("0")!, codecs: [codec]), startsMuted: startsMuted)
    }

    @Test("A second offer keeps the mute state of known kinds, takes that of new ones, and releases missing streams")
    func offers() {
        var reserved = ReservedStreams()
        let first = [section("cam", .audio), section("cam", .video, startsMuted: true), section("screen", .video)]
        reserved.reserve(first, instead: [])
        #expect(reserved.count == 2 && reserved["cam"] == [.video] && reserved["screen"] == [])
        let isSet = [
            reserved.setMuted(true, .audio, ofStream: "cam"), reserved.setMuted(false, .video, ofStream: "cam"),
            reserved.setMuted(true, .audio, ofStream: "other"),
        ]
        #expect(isSet == [true, true, false] && reserved["cam"] == [.audio] && reserved["other"] == nil)
        reserved.reserve(
            [section("cam", .audio), section("slides", .video, startsMuted: true)], instead: first)
        #expect(reserved.count == 2 && reserved["cam"] == [.audio] && reserved["slides"] == [.video])
        reserved.reserve([], instead: [section("cam", .audio)])
        #expect(reserved.count == 1 && reserved["cam"] == nil)
    }

    @Test("A publisher that connects gets its sections with their current mute states, and its streams are free again")
    func connection() {
        var reserved = ReservedStreams()
        let sections = [section("cam", .audio), section("cam", .video, startsMuted: true)]
        reserved.reserve(sections, instead: [])
        for kind in MediaKind.allCases { _ = reserved.setMuted(kind == .audio, kind, ofStream: "cam") }
        let taken = reserved.take(sections)
        #expect(taken.map(\.startsMuted) == [true, false] && reserved.isEmpty)
        // A stream that is not reserved keeps the state of the offer.
        let offered = reserved.take(sections)
        #expect(offered.map(\.startsMuted) == [false, true])
    }
}

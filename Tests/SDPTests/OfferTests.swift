import MediaBase
import RTP
import SDP
import Testing

@Suite("SDP: offers of clients, recorded or written after recordings") struct OfferTests {
    /// Expected contents of one client's offer: its transport, and each track in the words of `summary`.
    struct Facts: Sendable {
        var name: String
        var ufrag: String
        var candidates: Int
        var fingerprints = 1
        var setup = PeerDescription.Setup.actpass
        var reducedSize = true
        var trickles = true
        var tracks: [String]
    }

    static let facts: [Facts] = [
        Facts(
            name: "aiortc-publish", ufrag: "717I", candidates: 2, fingerprints: 3, reducedSize: false, trickles: false,
            tracks: [
                "audio 0 96 - mid1 level2 [] s3643943302",
                "video 1 97 98 mid1 abs3 [nack pli remb] s4144429165+1819082290",
            ]),
        Facts(
            name: "chromium-publish", ufrag: "o0dg", candidates: 8,
            tracks: [
                "audio 0 111 - mid4 abs2 twcc3 level1 [tcc] s3054849436",
                "video 1 96 97 mid4 rid10 rrid11 abs2 twcc3 playout5 cvo13 [nack pli fir tcc remb] s4108929322+617943141",
            ]),
        Facts(
            name: "chromium-simulcast", ufrag: "cHme", candidates: 8,
            tracks: [
                "audio 0 111 - mid4 abs2 twcc3 level1 [tcc] s1396936495",
                "video 1 96 97 mid4 rid10 rrid11 abs2 twcc3 playout5 cvo13 [nack pli fir tcc remb] h m l",
            ]),
        Facts(
            name: "firefox-publish", ufrag: "a11ad0e0", candidates: 4,
            tracks: [
                "audio 0 109 - mid3 twcc7 level1 [tcc] s384095428",
                "video 1 120 124 mid3 abs4 twcc7 [nack pli fir tcc remb] s2148487237+369117968",
            ]),
        Facts(
            name: "firefox-simulcast", ufrag: "67ee65d7", candidates: 4,
            tracks: [
                "audio 0 109 - mid3 twcc7 level1 [tcc] s3558384993",
                "video 1 120 124 mid3 rid9 rrid10 abs4 twcc7 [nack pli fir tcc remb] h m l",
            ]),
        Facts(
            name: "gstreamer-publish", ufrag: "6XbdTSjAC4bEnfzqx3zrrvRUK8Zu9tpl", candidates: 9,
            tracks: [
                "video video0 96 - [pli fir] s141403173",
                "audio audio1 100 - [] s1445805373",
            ]),
        Facts(
            name: "libdatachannel-publish", ufrag: "oS4m", candidates: 0, reducedSize: false,
            tracks: [
                "audio 0 111 - [] s1717171717",
                "video 1 98 - [nack pli remb] s1818181818",
            ]),
        Facts(
            name: "obs-publish", ufrag: "oS4m", candidates: 0, reducedSize: false,
            tracks: [
                "audio 0 111 - [] s1717171717",
                "video 1 96 - [nack pli remb] s1818181818",
            ]),
        Facts(
            name: "safari-simulcast", ufrag: "bX2k", candidates: 1,
            tracks: [
                "audio 0 111 - mid4 abs2 twcc3 level1 [tcc] s889412340",
                "video 1 96 97 mid4 rid10 rrid11 abs2 twcc3 playout5 cvo13 [nack pli fir tcc remb] low mid high",
            ]),
        Facts(
            name: "sources-simulcast", ufrag: "sess", candidates: 0, fingerprints: 2, setup: .passive,
            reducedSize: false, trickles: false,
            tracks: [
                "video video 100 101 abs2 [nack pli] s11+110 s22+220 s33+330"
            ]),
        Facts(
            name: "aiortc-view", ufrag: "8IbM", candidates: 2, fingerprints: 3, reducedSize: false, trickles: false,
            tracks: [
                "audio 0 96 - mid1 level2 []",
                "video 1 97 98 mid1 abs3 [nack pli remb]",
            ]),
        Facts(
            name: "chromium-data", ufrag: "DtTJ", candidates: 8,
            tracks: [
                "video 0 96 97 mid9 abs2 twcc4 playout5 cvo3 [nack pli fir tcc remb]",
                "audio 1 111 - mid9 abs2 twcc4 level14 [tcc]",
            ]),
        Facts(
            name: "chromium-view", ufrag: "u0iR", candidates: 8,
            tracks: [
                "audio 0 111 - mid4 abs2 twcc3 level1 [tcc]",
                "video 1 96 97 mid4 abs2 twcc3 playout5 cvo13 [nack pli fir tcc remb]",
            ]),
        Facts(
            name: "firefox-data", ufrag: "d08aec29", candidates: 4,
            tracks: [
                "video 0 120 124 mid3 abs4 twcc7 playout6 [nack pli fir tcc remb]",
                "audio 1 109 - mid3 twcc7 level1 [tcc]",
            ]),
        Facts(
            name: "firefox-view", ufrag: "e0412709", candidates: 4,
            tracks: [
                "audio 0 109 - mid3 twcc7 level1 [tcc]",
                "video 1 120 124 mid3 abs4 twcc7 playout6 [nack pli fir tcc remb]",
            ]),
        Facts(
            name: "pion-view", ufrag: "kdVJBEjTaShkpcYA", candidates: 2, trickles: false,
            tracks: [
                "video 0 96 97 mid1 twcc4 [nack pli fir tcc remb]",
                "audio 1 111 - mid1 twcc4 [tcc]",
            ]),
    ]

    @Test func ofAllClientsAreKnown() {
        #expect(Set(Self.facts.map(\.name)) == Set(Peers.publishers + Peers.subscribers))
    }

    @Test(arguments: facts) func areRead(facts: Facts) throws {
        let offer = try Peers.offer(facts.name)
        #expect(offer.peer.credentials.ufrag == facts.ufrag)
        #expect(offer.peer.fingerprints.count == facts.fingerprints)
        #expect(offer.peer.setup == facts.setup && !offer.peer.isLite)
        #expect(offer.peer.reducedSizeRTCP == facts.reducedSize)
        #expect(offer.candidates.count == facts.candidates)
        #expect(offer.canTrickle == facts.trickles)
        let tracks = try Peers.subscribers.contains(facts.name) ? offer.sendable() : offer.receivable()
        #expect(tracks.map(Self.summary) == facts.tracks)
    }

    /// Returns kind, MID, payload types, header extensions with their numbers, RTCP messages, encodings.
    static func summary(_ track: TrackDescription) -> String {
        let names: [(RTPExtensionKind, String)] = [
            (.mid, "mid"), (.rid, "rid"), (.repairedRID, "rrid"), (.absSendTime, "abs"), (.transportWideCC, "twcc"),
            (.audioLevel, "level"), (.absCaptureTime, "capture"), (.playoutDelay, "playout"),
            (.videoOrientation, "cvo"),
        ]
        var words = [
            track.kind.rawValue, track.mid.rawValue, track.payloadType.description,
            track.rtxPayloadType?.description ?? "-",
        ]
        words += names.compactMap { kind, name in track.extensions[kind].map { "\(name)\($0)" } }
        let feedback: [(TrackDescription.Feedback, String)] = [
            (.nack, "nack"), (.pli, "pli"), (.fir, "fir"), (.transportCC, "tcc"), (.remb, "remb"),
        ]
        words.append(
            "[" + feedback.filter { track.feedback.contains($0.0) }.map(\.1).joined(separator: " ") + "]")
        words += track.encodings.map { encoding in
            (encoding.rid?.rawValue ?? "") + (encoding.ssrc.map { "s\($0)" } ?? "")
                + (encoding.rtxSSRC.map { "+\($0)" } ?? "")
        }
        return words.joined(separator: " ")
    }
}

import Conference
import MediaBase
import MillraceTestKit
import RTP
import SDP
import Signaling
import Testing

@testable import SessionMedia

/// Orders and answers that relays of a cluster send each other.
@Suite("JSON of media orders")
struct JSONTests {
    private static let peer = PeerID(rawValue: "00ab")
    private static let stream = StreamID(rawValue: "s1")
    private static let client = ConnectionID(rawValue: "c1")
    private static let credentials = ICECredentials(ufrag: "abcd", password: "abcdefghijklmnopqrstuv")!
    private static let fingerprint = CertificateFingerprint(.sha256, bytes: Array(0..<32))!
    private static let description = PeerDescription(
        credentials: credentials, fingerprints: [fingerprint], setup: .actpass)
    private static let relay = RelayDescription(
        credentials: credentials, fingerprint: fingerprint, setup: .passive,
        candidates: [ICECandidate(foundation: "1", transport: .udp, priority: 1, host: "192.0.2.1", port: 9)])
    private static let track = TrackDescription(
        mid: MID("0")!,
        codecs: [
            CodecDescription(
                video: .vp9, payloadType: PayloadType(98), rtxPayloadType: PayloadType(99), parameters: "profile-id=0",
                feedback: [.nack])
        ], encodings: [.init(rid: RID("h")), .init(ssrc: SSRC(9))])
    private static let sections = [
        PublishSection(stream: stream, track: track, startsMuted: true, isEncrypted: false)
    ]
    private static let sent = SubscriberTrack(
        stream: "s1", track: TrackDescription(mid: MID("1")!, codecs: track.codecs), ssrc: SSRC(1), rtxSSRC: SSRC(2))

    static let orders: [MediaOrder] = [
        .setMuted(stream, .video, true), .closeStream(stream), .closePeer(peer, isPlain: true),
        .relocate([peer: .mainSession, PeerID(rawValue: ""): .subsession(SubsessionID(rawValue: "b1"))]),
        .openPublisher(client, description, sections), .updatePublisher(peer, description, sections),
        .openSubscriber(client, isNative: true), .connect(peer, description), .restart(peer, credentials),
        .prepareRestart(peer), .addTracks(peer, [sent]), .removeTracks(peer, [MID("0")!, MID("1")!]),
        .setPreferences(
            peer, stream,
            SubscriptionPreferences(
                audio: false, video: true, width: 320, height: 180, frameRate: 15, priority: 70, maximumWidth: 640,
                maximumHeight: 360)),
    ]

    @Test("Each order is the same after a way through JSON", arguments: orders)
    func roundTrip(_ order: MediaOrder) throws {
        #expect(try JSONFaults.decoded(order) == order)
        let faults = try JSONFaults(of: order)
        #expect(faults.strange.isEmpty && faults.refused > 10, "\(faults)")
        // Only preferences, entries of dictionaries and optional numbers of tracks may be missing.
        let needed = faults.optional.filter { path in
            !["relocate._0", "_2.width", "_2.height", "_2.frameRate", "_2.maximum", "rtx", "SSRC", "ssrc", "rid"]
                .contains {
                    path.contains($0)
                } && !path.hasPrefix("setPreferences._2")
        }
        #expect(needed.isEmpty, "\(needed)")
    }

    @Test("All kinds of orders are tested but that of visitors") func coverage() {
        var kinds: Set<Int> = []
        for order in Self.orders {
            let kind =
                switch order {
                case .setMuted: 0
                case .closeStream: 1
                case .closePeer: 2
                case .relocate: 3
                case .openPublisher: 4
                case .updatePublisher: 5
                case .openSubscriber: 6
                case .openVisitor: 7
                case .connect: 8
                case .restart: 9
                case .prepareRestart: 10
                case .addTracks: 11
                case .removeTracks: 12
                case .setPreferences: 13
                }
            kinds.insert(kind)
        }
        #expect(kinds == Set(0...13).subtracting([7]))
    }

    @Test("An order about a visitor is neither encoded nor decoded") func visitors() {
        let visitor = MediaVisitor(connection: Self.client, purpose: .subscribe, isPlain: false)
        let error = #expect(throws: EncodingError.self) {
            try JSONFaults.decoded(MediaOrder.openVisitor(MediaRequestID(rawValue: 1), visitor))
        }
        #expect(error.map { "\($0)".contains("'openVisitor' cannot be encoded") } == true)
        for json in [#"{"openVisitor": {}}"#, #"{"openVisitor": {"_0": 1, "_1": {}}}"#, "{}", #""openVisitor""#] {
            #expect(throws: DecodingError.self) { try JSONFaults.decode(MediaOrder.self, json) }
        }
        #expect(throws: EncodingError.self) {
            try JSONFaults.decoded(MediaAnswer.visitor(Self.peer, videoCodec: nil, kinds: nil))
        }
        #expect(throws: DecodingError.self) {
            try JSONFaults.decode(MediaAnswer.self, #"{"visitor": {"_0": "00ab"}}"#)
        }
    }

    @Test("An order of two kinds is refused, and so is a published track without encodings or with two codecs")
    func rules() throws {
        #expect(throws: DecodingError.self) {
            try JSONFaults.decode(
                MediaOrder.self, #"{"closeStream": {"_0": "s1"}, "prepareRestart": {"_0": "00ab"}}"#)
        }
        var silent = Self.track
        silent.encodings = []
        var double = Self.track
        double.codecs.append(CodecDescription(video: .vp8, payloadType: PayloadType(96)))
        for track in [silent, double] {
            let section = PublishSection(stream: Self.stream, track: track, startsMuted: false, isEncrypted: false)
            #expect(throws: DecodingError.self) { try JSONFaults.decoded(section) }
        }
    }

    @Test(
        "Each answer is the same after a way through JSON",
        arguments: [
            MediaAnswer.done, .publisher(peer, relay), .subscriber(peer, relay, videoCodecs: [.av1, .vp8]),
            .credentials(credentials),
        ])
    func answers(_ answer: MediaAnswer) throws {
        #expect(try JSONFaults.decoded(answer) == answer)
        let faults = try JSONFaults(of: answer) { _ = $0.peer }
        #expect(faults.strange.isEmpty && faults.optional.isEmpty && faults.refused > 10, "\(faults)")
    }

    @Test(
        "An offer without video codecs, or with one of them twice, is refused",
        arguments: [[], [VideoCodec.av1, .av1]])
    func codecs(_ codecs: [VideoCodec]) {
        #expect(throws: DecodingError.self) {
            try JSONFaults.decoded(MediaAnswer.subscriber(Self.peer, Self.relay, videoCodecs: codecs))
        }
        #expect(throws: DecodingError.self) {
            try JSONFaults.decode(MediaAnswer.self, #"{"done": {}, "credentials": {}}"#)
        }
    }

    @Test(
        "Each failure is the same after a way through JSON",
        arguments: [MediaFailure.Kind.noSession, .noStream, .noPeer, .invalid, .busy, .other])
    func failures(_ kind: MediaFailure.Kind) throws {
        let failure = MediaFailure(
            kind, SignalingError(.limitReached, "full", field: "sdp", limit: "limit.sessions", retryAfter: 3))
        #expect(try JSONFaults.decoded(failure) == failure)
        let faults = try JSONFaults(of: failure)
        #expect(faults.strange.isEmpty && faults.optional == ["error.field", "error.limit", "error.retryAfter"])
    }

    @Test("The state of a session is the same after a way through JSON") func state() throws {
        var state = MediaState()
        state.ended = [Self.peer]
        state.streams = [
            MediaState.Stream(
                id: Self.stream, hasMedia: true, size: .init(width: 640, height: 360), isSpeaking: true),
            MediaState.Stream(id: StreamID(rawValue: "s2"), hasMedia: false),
        ]
        state.video = [Self.peer: [.init(stream: Self.stream, isPaused: true)]]
        #expect(try JSONFaults.decoded(state) == state)
        let faults = try JSONFaults(of: state)
        #expect(faults.strange.isEmpty && faults.optional == ["streams.0.size", "video.00ab"], "\(faults)")
    }
}

import Conference
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import SessionTestKit
import Signaling
import Testing

@testable import ControlServer
@testable import SessionMedia

@Suite("CLU-3: inventory of a relay for the next home relay of a session")
struct OpenedMediaTests {
    private let client = ConnectionID(rawValue: "c")
    private let peer = PeerID(rawValue: "p")
    private let camera = StreamID(rawValue: "camera")
    private let screen = StreamID(rawValue: "screen")

    private func description(_ seed: UInt64 = 1) -> PeerDescription {
        var random = SeededGenerator(seed: seed)
        return PeerDescription(credentials: .random(using: &random), fingerprints: [fingerprint(1)], setup: .active)
    }

    private func relay() -> RelayDescription {
        var random = SeededGenerator(seed: 9)
        return RelayDescription(
            credentials: .random(using: &random), fingerprint: fingerprint(2), setup: .passive, candidates: [])
    }

    private func section(_ stream: StreamID, _ kind: MediaKind, startsMuted: Bool = false) -> PublishSection {
        PublishSection(
            stream: stream, track: .offered(kind, encodings: [TrackDescription.Encoding()]), startsMuted: startsMuted,
            isEncrypted: false)
    }

    /// Returns the media of a relay with a publisher of a camera.
    private func published() -> OpenedMedia {
        var opened = OpenedMedia()
        let call = MediaCall.order(
            .openPublisher(
                client, description(), [section(camera, .audio, startsMuted: true), section(camera, .video)]))
        opened.begin(call)
        opened.finish(call, .media(.publisher(peer, relay())))
        return opened
    }

    private func streams(_ opened: OpenedMedia) -> [MediaInventory.Stream]? {
        guard case .publishes(client, _, let streams)? = opened.inventory.peers.first?.use else { return nil }
        return streams
    }

    @Test("a publisher has its client, description, streams and mutes")
    func publisher() throws {
        var opened = published()
        #expect(
            streams(opened) == [MediaInventory.Stream(id: camera, kinds: [.audio, .video], muted: [.audio])])
        opened.begin(.order(.setMuted(camera, .video, true)))
        opened.begin(.order(.setMuted(camera, .audio, false)))
        // A stream that it does not have.
        opened.begin(.order(.setMuted(screen, .audio, true)))
        #expect(streams(opened)?.first?.muted == [.video])
        let inventory = opened.inventory
        let read = try JSONDecoder().decode(MediaInventory.self, from: JSONEncoder().encode(inventory))
        #expect(read.peers == inventory.peers)
        opened.begin(.order(.closeStream(camera)))
        #expect(streams(opened) == [])
        opened.begin(.order(.closePeer(peer, isPlain: false)))
        #expect(opened.inventory.peers.isEmpty)
    }

    @Test("new sections of a later offer begin with their own mutes, and the others keep theirs")
    func updated() {
        var opened = published()
        opened.begin(.order(.setMuted(camera, .video, true)))
        let call = MediaCall.order(
            .updatePublisher(
                peer, description(2), [section(camera, .video), section(screen, .video, startsMuted: true)]))
        opened.begin(call)
        #expect(opened.inventory.peers.first?.use == nil, "the change is under way")
        opened.finish(call, .media(.publisher(peer, relay())))
        #expect(
            streams(opened) == [
                MediaInventory.Stream(id: camera, kinds: [.video], muted: [.video]),
                MediaInventory.Stream(id: screen, kinds: [.video], muted: [.video]),
            ])
    }

    /// Returns the media of a relay with a subscriber of the camera.
    private func subscribed() throws -> OpenedMedia {
        var opened = OpenedMedia()
        opened.finish(
            .order(.openSubscriber(client, isNative: false)), .media(.subscriber(peer, relay(), videoCodecs: [.vp8])))
        opened.begin(.order(.setPreferences(peer, camera, SubscriptionPreferences(height: 99))))
        opened.begin(.order(.setPreferences(peer, screen, SubscriptionPreferences())))
        opened.begin(.negotiated(peer, try SavedNegotiation.sample(of: camera)))
        return opened
    }

    @Test("a subscriber has its latest negotiation, with the preferences of its streams, and survives JSON")
    func subscriber() throws {
        var opened = try subscribed()
        opened.note(
            .unsupportedCodec(
                session: "s", transport: TransportID(rawValue: "p"), stream: camera.rawValue, codec: .av1))
        let inventory = opened.inventory
        let known = try #require(inventory.peers.first?.subscriber)
        #expect(known.negotiation == (try SavedNegotiation.sample(of: camera)) && known.unsupported == [camera])
        #expect(known.preferences == [camera: SubscriptionPreferences(height: 99)])
        #expect(inventory.peers.first?.use == .subscribes(client))
        let read = try JSONDecoder().decode(MediaInventory.self, from: JSONEncoder().encode(inventory))
        #expect(read.peers == inventory.peers)
        opened.note(.supportedCodec(session: "s", transport: TransportID(rawValue: "p"), stream: camera.rawValue))
        #expect(opened.inventory.peers.first?.subscriber?.unsupported == [])
        opened.note(.peerGone(session: "s", transport: TransportID(rawValue: "p")))
        #expect(opened.inventory.peers.isEmpty)
    }

    @Test("a call about a subscriber makes its negotiation outdated, until the home relay says it again")
    func changing() throws {
        let calls: [MediaOrder] = [
            .addTracks(peer, []), .removeTracks(peer, []), .prepareRestart(peer), .connect(peer, description()),
            .restart(peer, description().credentials), .setPreferences(peer, camera, SubscriptionPreferences()),
        ]
        for call in calls {
            var opened = try subscribed()
            opened.begin(.order(call))
            #expect(opened.inventory.peers.first?.use == .subscribes(client))
            #expect(opened.inventory.peers.first?.subscriber == nil)
            opened.finish(.order(call), .media(.done))
            #expect(opened.inventory.peers.first?.subscriber == nil)
            opened.begin(.negotiated(peer, try SavedNegotiation.sample(of: camera)))
            #expect(opened.inventory.peers.first?.subscriber != nil)
        }
        var publisher = published()
        publisher.begin(.negotiated(peer, try SavedNegotiation.sample(of: camera)))
        #expect(publisher.inventory.peers.first?.subscriber == nil)
    }

    @Test(
        "inventories of other versions are read: one without negotiations, and one with a negotiation of another form")
    func versions() throws {
        let text = """
            {"peers": [{"id": "p", "isPlain": false, "use": {"subscribes": {"_0": "c"}}},
            {"id": "q", "isPlain": false, "use": {"subscribes": {"_0": "c"}}, "subscriber": {"negotiation": {"form": 2}}}],
            "receivers": [], "senders": []}
            """
        let read = try JSONDecoder().decode(MediaInventory.self, from: Data(text.utf8))
        #expect(
            read.peers == [
                MediaInventory.Peer(id: peer, use: .subscribes(client)),
                MediaInventory.Peer(id: PeerID(rawValue: "q"), use: .subscribes(client)),
            ])
    }

    @Test("a peer whose move is under way has no location")
    func moved() {
        var opened = published()
        #expect(opened.inventory.peers.first?.location == .mainSession)
        let location = Location(SubsessionID(rawValue: "x"))
        opened.begin(.order(.relocate([peer: location])))
        #expect(opened.inventory.peers.first?.location == nil)
        opened.finish(.order(.relocate([peer: location])), .media(.done))
        #expect(opened.inventory.peers.first?.location == location)
        opened.remove(peer)
        #expect(opened.inventory.peers.isEmpty)
    }

    @Test("pipes have both ends and the streams that they may mirror")
    func pipes() {
        func end(_ id: String) -> PipeEnd {
            PipeEnd(id: TransportID(rawValue: id), address: "192.0.2.1", port: 1, ssrc: 0)
        }
        func description(_ streams: [String]) -> PipeDescription {
            PipeDescription(
                streams: streams.map {
                    PipeDescription.Stream(
                        name: $0, subsession: "", createdAt: 0, isEncrypted: false, codec: nil, muted: [], tracks: [])
                })
        }
        var opened = OpenedMedia()
        let keys = PipeKeys.random()
        opened.finish(.openPipeReceiver(keys), .pipe(end("r")))
        opened.finish(.openPipeSender(keys, to: end("q")), .pipe(end("s")))
        opened.begin(.mirror(description(["a"]), end("r").id, from: end("t")))
        opened.finish(.mirror(description(["a"]), end("r").id, from: end("t")), .tracks([]))
        opened.begin(.mirror(description(["b"]), end("r").id, from: end("t")))
        #expect(
            opened.inventory.receivers == [
                MediaInventory.Receiver(end: end("r"), sender: end("t"), streams: ["a", "b"])
            ])
        #expect(opened.inventory.senders == [MediaInventory.Sender(end: end("s"), receiver: end("q").id)])
        opened.begin(.closePipe(end("r").id))
        opened.begin(.closePipe(end("s").id))
        #expect(opened.inventory.receivers.isEmpty && opened.inventory.senders.isEmpty)
    }

    @Test("transports of clients without a control connection are named, so that the next home relay can close them")
    func visitors() {
        var opened = OpenedMedia()
        var request = PlainTransportRequest(direction: .subscribe, session: "s")
        request.stream = "camera"
        let transport = PlainTransport(
            id: TransportID(rawValue: "v"), session: "s", stream: "camera", direction: .subscribe,
            address: "192.0.2.1", rtcpMux: true, suite: request.suite, clientKey: .random(for: request.suite),
            relayKey: .random(for: request.suite))
        opened.finish(.openPlain(request), .openedPlain(transport))
        #expect(
            opened.inventory.peers == [
                MediaInventory.Peer(id: PeerID(rawValue: "v"), isPlain: true, use: nil, location: .mainSession)
            ])
    }
}

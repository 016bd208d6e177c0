import Cluster
import Foundation
import MediaBase
import MediaEngine
import MillraceTestKit
import SDP
import SessionMedia
import SessionTestKit
import Signaling
import Testing

@testable import ControlServer

@Suite("CLU-2: media of clients without a control connection at the relay that they asked")
struct EdgeVisitorTests {
    private let b = ClusterWorld.edges[0]
    private let c = ClusterWorld.edges[1]

    private func peer(_ admission: VisitWorld.Admission) throws -> PeerID {
        PeerID(try #require(admission.transport))
    }

    @Test(
        "a publisher and a subscriber at two relays open there, and pipes lead to the subscriber and to the home relay")
    func opened() throws {
        let world = try VisitWorld()
        let publisher = world.publish("camera", at: b)
        #expect(publisher.isOpen)
        #expect(world.core.clusterMedia.relay(of: try peer(publisher)) == .edge(b))
        let subscriber = world.view("camera", at: c)
        #expect(subscriber.isOpen)
        #expect(world.core.clusterMedia.relay(of: try peer(subscriber)) == .edge(c))
        let routes = Set(world.core.clusterMedia.routes.map(\.to))
        #expect(routes == [.home, .edge(c)])
        #expect(world.relays[.home]?.peers.isEmpty == true)
        #expect(world.core.leases.count == 2)
        // Further subscribers at the home relay and at the publisher's.
        #expect(world.view("camera", at: nil).transport == nil)
        let near = try peer(world.view("camera", at: b))
        #expect(world.core.clusterMedia.relay(of: near) == .edge(b))
        #expect(world.core.media.visitingPeerCount == 4)
    }

    @Test("the transport of a muted publisher opens muted at the relay that it asked", arguments: [false, true])
    func muted(isPlain: Bool) throws {
        let world = try VisitWorld()
        _ = world.publish("screen", at: nil)
        world.turn { $0.admin(.forceMuteAll(excluding: [])) { _ in } }
        #expect(world.publish("camera", at: b, isPlain: isPlain).isOpen)
        #expect(world.relays[.edge(b)]?.muted == ["camera"])
        world.turn { $0.admin(.disableForceMute) { _ in } }
        world.turn { $0.admin(.setMuted(StreamID(rawValue: "camera"), .audio, false)) { _ in } }
        #expect(world.relays[.edge(b)]?.muted == [])
    }

    @Test("a client whose relay takes no media opens at the home relay")
    func atHome() throws {
        let world = try VisitWorld()
        world.mayLink.withLockedValue { $0 = false }
        let publisher = world.publish("camera", at: b)
        #expect(world.relays[.home]?.streams == ["camera"] && world.relays[.edge(b)]?.streams.isEmpty == true)
        #expect(publisher.transport == nil)
    }

    @Test(
        "the home relay refuses a subscriber of an unknown stream, and the subscriber's relay one that lacks the codec")
    func refused() throws {
        let world = try VisitWorld()
        #expect(world.publish("camera", at: b).isOpen)
        #expect(world.view("other", at: c).error == .unknownStream("other"))
        world.relays[.edge(c)]?.strangeCodecs = ["camera": .h264]
        #expect(world.view("camera", at: c).error == .codecMismatch(offered: [.vp8], stream: .h264))
        #expect(world.core.media.visitingPeerCount == 1 && world.core.leases.count == 1)
        #expect(world.publish("camera", at: c).isOpen, "the publisher takes the stream over")
        #expect(world.core.clusterMedia.origin(of: StreamID(rawValue: "camera")) == .edge(c))
        #expect(world.relays[.edge(b)]?.peers.isEmpty == true)
    }

    @Test("questions and changes of a resource go to its relay, and its end frees the name")
    func resource() throws {
        let world = try VisitWorld()
        // The session does not end with the first publisher.
        _ = world.publish("screen", at: nil)
        let publisher = try peer(world.publish("camera", at: b))
        let subscriber = try peer(world.view("camera", at: c))
        guard case .success(.webRTC(let snapshot))? = world.ask(.webRTC(subscriber), of: subscriber) else {
            Issue.record("no snapshot")
            return
        }
        #expect(snapshot.stream == "camera" && snapshot.direction == .subscribe)
        guard
            case .success(.media(.credentials))? = world.ask(
                .restartICE(subscriber, snapshot.peer), of: subscriber),
            case .success(.done)? = world.ask(.setLayer(subscriber, .automatic), of: subscriber)
        else {
            Issue.record("not restarted, or no layer")
            return
        }
        var counts: [String: Int]?
        world.turn { $0.subscribersElsewhere { counts = $0 } }
        #expect(counts == ["camera": 1])
        #expect(world.ask(.webRTC(publisher), of: PeerID(rawValue: "unknown")) == nil)
        for peer in [publisher, subscriber] {
            guard case .success? = world.ask(.order(.closePeer(peer, isPlain: false)), of: peer) else {
                Issue.record("not closed")
                return
            }
            var isDone = false
            world.turn { $0.visitorLeft(TransportID(peer)) { isDone = true } }
            #expect(isDone)
        }
        #expect(world.core.media.visitingPeerCount == 1 && world.core.leases.count == 1)
        #expect(world.publish("camera", at: c).isOpen)
    }

    @Test("plain transports open at the relays that their clients asked, and end there")
    func plain() throws {
        let world = try VisitWorld()
        _ = world.publish("screen", at: nil)
        let publisher = try peer(world.publish("camera", at: b, isPlain: true))
        let subscriber = try peer(world.view("camera", at: c, isPlain: true))
        #expect(world.core.clusterMedia.relay(of: publisher) == .edge(b))
        #expect(world.core.clusterMedia.relay(of: subscriber) == .edge(c))
        // A plain stream is announced without a packet.
        #expect(world.core.conference.streams.map(\.id.rawValue) == ["camera"])
        guard case .success(.done)? = world.ask(.requestKeyFrame(subscriber), of: subscriber) else {
            Issue.record("no key frame is requested")
            return
        }
        for refusesState in [false, true] {
            // The publisher of a relay whose state cannot be read has not ended.
            world.relays[.edge(b)]?.refusesState = refusesState
            world.turn { $0.heard(.missed(session: nil), from: .edge(b)) }
            world.pass(.seconds(1))
            #expect(world.core.conference.streams.count == 1)
        }
        world.turn { $0.linkLost(b, "the test cuts it") }
        #expect(world.core.conference.streams.isEmpty && world.core.media.client(of: subscriber) != nil)
        #expect(world.core.media.client(of: publisher) == nil)
    }

    @Test("the peers of a lost relay end, and for half a minute its clients' media is at the home relay")
    func lost() throws {
        let world = try VisitWorld()
        let publisher = try peer(world.publish("camera", at: b))
        _ = world.publish("screen", at: nil)
        world.turn { $0.linkLost(b, "the test cuts it") }
        #expect(world.endedLinks == [b] && world.ask(.webRTC(publisher), of: publisher) == nil)
        #expect(world.core.media.owners.keys.map(\.rawValue) == ["screen"])
        #expect(world.view("screen", at: b).transport == nil)
        world.pass(.seconds(31))
        let later = try peer(world.view("screen", at: b))
        #expect(world.core.clusterMedia.relay(of: later) == .edge(b))
    }

    @Test(
        "a subscriber of a relay that does not answer opens at the home relay; a publisher is refused when that relay is lost"
    )
    func silent() throws {
        let world = try VisitWorld()
        #expect(world.publish("camera", at: nil).isOpen)
        world.silent = [c]
        let subscriber = world.view("camera", at: c)
        world.pass(.seconds(3))
        #expect(subscriber.result == nil)
        let publisher = world.publish("screen", at: c)
        world.pass(.seconds(2))
        #expect(subscriber.result != nil && subscriber.transport == nil)
        world.pass(.seconds(5))
        #expect(publisher.error == .stopped)
        #expect(world.endedLinks == [c])
    }

    @Test("an answer for another stream ends the relay's link, and the client is refused")
    func wrongAnswer() throws {
        let world = try VisitWorld()
        world.changeAnswer = { $0.stream = "other" }
        let publisher = world.publish("camera", at: b)
        #expect(!publisher.isOpen && publisher.transport == nil)
        #expect(world.endedLinks == [b])
    }

    @Test("a client that has left before the answer leaves no transport behind")
    func leftEarly() throws {
        let world = try VisitWorld()
        world.silent = [b]
        let publisher = world.publish("camera", at: b)
        world.turn { $0.end(.sessionEnded) }
        #expect(publisher.result != nil)
        #expect(world.endedLinks == [b])
    }

    @Test("the end of a peer is answered if its session ends before its relay answers")
    func closedWithSession() throws {
        let world = try VisitWorld()
        let publisher = try peer(world.publish("camera", at: b))
        world.silent = [b]
        var answer: MediaCallResult??
        world.turn {
            $0.askElsewhere(of: publisher, .order(.closePeer(publisher, isPlain: false))) { answer = .some($0) }
        }
        #expect(answer == nil)
        world.turn { $0.end(.sessionEnded) }
        guard case .success(.done)?? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
    }
}

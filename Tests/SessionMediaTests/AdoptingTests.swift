import Conference
import MediaBase
import MillraceTestKit
import SDP
import SessionTestKit
import Signaling
import Testing

@testable import SessionMedia

@Suite("CLU-3: peer connections that continue after the loss of their session's home relay")
struct AdoptingTests {
    private let client = ConnectionID(rawValue: "c")
    private let publisher = PeerID(rawValue: "p")
    private let subscriber = PeerID(rawValue: "s")
    private let camera = StreamID(rawValue: "camera")

    /// Returns the media of a session with a client that has both peer connections.
    private func adopted() -> SessionMedia {
        var random = SeededGenerator(seed: 1)
        var media = SessionMedia(maximumSubscriptions: 10, random: SeededGenerator(seed: 2))
        media.join(client)
        let description = PeerDescription(
            credentials: .random(using: &random), fingerprints: [fingerprint(1)], setup: .active)
        #expect(media.mayAdopt(publisher, of: client, streams: [camera]))
        media.adoptPublisher(publisher, description, [camera: [.audio, .video]], of: client)
        #expect(media.mayAdopt(subscriber, of: client, streams: nil))
        media.adoptSubscriber(subscriber, of: client)
        return media
    }

    private func orders(_ media: inout SessionMedia) -> [MediaOrder] {
        _ = media.takeOutputs(now: .zero)
        return media.takeOrders().map(\.order)
    }

    @Test("mutes, moves and ends of their streams act on them, and they end with their client")
    func commands() {
        var media = adopted()
        #expect(media.publisher(of: client) == publisher && media.hasPublished(client))
        #expect(media.subscriber(of: client) == nil, "the client subscribes again")
        media.command(.setMuted(camera, .audio, true))
        media.command(.relocate([client], .subsession(SubsessionID(rawValue: "x"))))
        #expect(
            orders(&media) == [
                .setMuted(camera, .audio, true),
                .relocate([
                    publisher: .subsession(SubsessionID(rawValue: "x")),
                    subscriber: .subsession(SubsessionID(rawValue: "x")),
                ]),
            ])
        media.command(.unpublish(camera))
        #expect(orders(&media) == [.closeStream(camera)])
        media.leave(client)
        let closed = orders(&media)
        #expect(
            Set(closed) == [.closePeer(publisher, isPlain: false), .closePeer(subscriber, isPlain: false)])
    }

    @Test("the subscribe peer connection ends when its client resumes, the publish peer connection does not")
    func resumed() {
        var media = adopted()
        media.closeSubscriber(of: client)
        #expect(orders(&media) == [.closePeer(subscriber, isPlain: false)])
        #expect(media.publisher(of: client) == publisher)
        media.closeSubscriber(of: client)
        #expect(orders(&media).isEmpty)
    }

    @Test("the end of the subscribe peer connection resets nothing, that of the publish peer connection its streams")
    func gone() {
        var media = adopted()
        func events(_ peer: PeerID) -> [MediaEvent] {
            media.gone(peer)
            return media.takeOutputs(now: .zero).compactMap { if case .handle(let event) = $0 { event } else { nil } }
        }
        #expect(events(subscriber).isEmpty)
        #expect(events(publisher) == [.reset(client, publish: true, subscribe: false)])
        #expect(media.client(of: publisher) == nil && media.client(of: subscriber) == nil)
    }

    /// Returns the media of a session with the camera, and a client with a subscribe peer connection that receives it.
    private func subscribed(maximum: Int = 10) throws -> SessionMedia? {
        var media = SessionMedia(maximumSubscriptions: maximum, random: SeededGenerator(seed: 2))
        media.savesSubscribers = true
        media.join(client)
        media.own(camera, by: ConnectionID(rawValue: "d"), kinds: [.audio])
        return media.adoptSubscriber(subscriber, try .sample(of: camera), of: client, now: .zero) ? media : nil
    }

    private func outputs(_ media: inout SessionMedia, at now: MediaTime) -> (offers: [OfferMade], saved: Int) {
        media.handleTimeout(now: now)
        let outputs = media.takeOutputs(now: now)
        return (
            outputs.compactMap { if case .offer(client, let offer) = $0 { offer } else { nil } },
            outputs.count { if case .negotiated(subscriber, _) = $0 { true } else { false } }
        )
    }

    @Test("a subscribe peer connection with a known negotiation continues; offers wait until its client resumes")
    func continued() throws {
        var media = try #require(try subscribed())
        #expect(media.subscriber(of: client) == subscriber && media.subscribeTransport(of: client).isOpen)
        #expect(outputs(&media, at: .seconds(1)).saved == 1, "its relay keeps it for the next take-over")
        // The stream ends before the client has resumed: its media at once, its section with the next offer.
        media.command(.unsubscribe(client, camera))
        let removed = orders(&media)
        #expect(removed.count == 1)
        guard case .removeTracks(subscriber, let mids)? = removed.first else {
            Issue.record("\(removed)")
            return
        }
        #expect(mids.count == 1)
        media.settle(media.lastTicket, .success(.done), now: .seconds(1))
        #expect(outputs(&media, at: .seconds(2)).offers.isEmpty)
        #expect(media.continuesSubscriber(of: client, at: 1))
        for other in [nil, 0, 2] { #expect(!media.continuesSubscriber(of: client, at: other)) }
        media.releaseSubscriber(of: client)
        let offers = outputs(&media, at: .seconds(3)).offers
        #expect(offers.map(\.revision) == [2] && offers.first?.streams.isEmpty == true)
        // It resumes again, with or without that offer, which is sent again.
        for revision in 1...2 { #expect(media.continuesSubscriber(of: client, at: revision)) }
        #expect(!media.continuesSubscriber(of: client, at: 3))
        media.releaseSubscriber(of: client)
        #expect(outputs(&media, at: .seconds(3)).offers == offers)
        media.leave(client)
        #expect(orders(&media) == [.closePeer(subscriber, isPlain: false)])
    }

    @Test("tracks that a stream has got or lost in the meantime are offered")
    func otherTracks() throws {
        var media = try #require(try subscribed())
        media.mendSubscription(client, camera, SubscriptionPreferences())
        #expect(orders(&media).isEmpty, "nothing has changed")
        media.own(camera, by: ConnectionID(rawValue: "d"), kinds: [.audio, .video])
        media.mendSubscription(client, camera, SubscriptionPreferences())
        #expect(orders(&media) == [.setPreferences(subscriber, camera, SubscriptionPreferences())])
        media.settle(media.lastTicket, .success(.done), now: .seconds(1))
        media.releaseSubscriber(of: client)
        let offers = outputs(&media, at: .seconds(2)).offers
        #expect(offers.first?.streams.first?.videoMid != nil)
    }

    @Test("a negotiation with more subscriptions than are allowed is not continued")
    func tooMany() throws {
        #expect(try subscribed(maximum: 0) == nil)
    }

    @Test("a client has one peer connection of each kind, and a stream one owner")
    func refused() {
        var media = adopted()
        let other = ConnectionID(rawValue: "d")
        media.join(other)
        #expect(!media.mayAdopt(PeerID(rawValue: "q"), of: client, streams: []))
        #expect(!media.mayAdopt(PeerID(rawValue: "q"), of: client, streams: nil))
        #expect(!media.mayAdopt(PeerID(rawValue: "q"), of: other, streams: [camera]))
        #expect(!media.mayAdopt(publisher, of: other, streams: []))
        #expect(!media.mayAdopt(PeerID(rawValue: "q"), of: ConnectionID(rawValue: "unknown"), streams: nil))
        #expect(media.mayAdopt(PeerID(rawValue: "q"), of: other, streams: nil))
    }
}

import Signaling
import Testing

@testable import MillraceClient

@Suite("Subscriber") struct SubscriberTests {
    @Test("SUB-3 a subscriber that starts over is no longer suspended, and reports that") func beginsAgain() throws {
        let core = SessionCore(
            url: "ws://127.0.0.1:1", token: "t", configuration: SessionConfiguration(), board: SessionBoard())
        let thread = try #require(MediaThread(localAddress: "127.0.0.1"))
        let stream = StreamID(rawValue: "s")
        let subscriber = Subscriber(stream, preferences: SubscriptionPreferences(), core: core, thread: thread)
        let events = subscriber.events
        subscriber.take(SubscriptionChanged(stream: stream, state: .suspended))
        #expect(subscriber.isSuspended)
        subscriber.beginAgain(thread: thread)
        #expect(!subscriber.isSuspended)
        #expect([events.poll(), events.poll(), events.poll()] == [.suspended, .resumed, nil])
    }
}

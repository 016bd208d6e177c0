import Dispatch
import NIOConcurrencyHelpers
import Signaling
import Testing

@testable import MillraceClient

@Suite("Feeds and delegates") struct FeedTests {
    @Test("CON-2 every reader receives every event, in order") func readers() async {
        let hub = FeedHub<Int>()
        let feeds = (0..<5).map { _ in hub.feed(limit: 1_000) }
        for number in 0..<500 { hub.send(number) }
        hub.finish()
        for feed in feeds {
            var got: [Int] = []
            for await number in feed { got.append(number) }
            #expect(got == Array(0..<500))
            #expect(feed.dropped == 0)
        }
    }

    @Test("CAN-1 a slow reader loses the oldest events, counts them, and delays no other reader") func slow() async {
        let hub = FeedHub<Int>()
        let slow = hub.feed(limit: 2)
        let quick = hub.feed(limit: 100)
        for number in 0..<10 { hub.send(number) }
        hub.finish()
        var got: [Int] = []
        for await number in slow { got.append(number) }
        #expect(got == [8, 9])
        #expect(slow.dropped == 8)
        #expect(quick.dropped == 0)
        #expect(quick.poll() == 0)
    }

    @Test func aReaderThatWaitsIsWoken() async {
        let hub = FeedHub<Int>()
        let feed = hub.feed(limit: 4)
        async let first = feed.makeAsyncIterator().next()
        while !hub.isWatched { await Task.yield() }
        hub.send(7)
        #expect(await first == 7)
    }

    @Test func cancellingEndsALoop() async {
        let hub = FeedHub<Int>()
        let feed = hub.feed(limit: 4)
        let task = Task {
            for await _ in feed {}
            return true
        }
        task.cancel()
        #expect(await task.value)
    }

    @Test func aFeedThatNobodyHoldsLeaves() {
        let hub = FeedHub<Int>()
        var feed: Feed<Int>? = hub.feed(limit: 4)
        #expect(hub.isWatched)
        _ = feed?.poll()
        feed = nil
        #expect(!hub.isWatched)
    }

    @Test("a reader's loop delivers the queued events and ends when its source is released", .timeLimit(.minutes(1)))
    func hubThatIsGone() async {
        var hub: FeedHub<Int>? = FeedHub<Int>()
        guard let feed = hub?.feed(limit: 4), let waiting = hub?.feed(limit: 4) else { return }
        let task = Task {
            var got: [Int] = []
            for await number in waiting { got.append(number) }
            return got
        }
        hub?.send(1)
        #expect(hub?.isWatched == true)
        hub = nil
        var got: [Int] = []
        for await number in feed { got.append(number) }
        #expect(got == [1])
        #expect(await task.value == [1])
    }

    @Test("a feed that is created while its source ends, ends", .timeLimit(.minutes(1))) func madeAtTheEnd() async {
        for _ in 0..<2_000 {
            let hub = FeedHub<Int>()
            async let ending: Void = hub.finish()
            let feed = hub.feed(limit: 4)
            for await _ in feed {}
            await ending
        }
    }

    private final class Listener: SessionDelegate {
        let got = NIOLockedValueBox<[SessionEvent]>([])
        let queueKey: DispatchSpecificKey<Int>
        let isElsewhere = NIOLockedValueBox(false)
        init(_ queueKey: DispatchSpecificKey<Int>) { self.queueKey = queueKey }
        func session(_ session: Session, didReceive event: SessionEvent) {
            if DispatchQueue.getSpecific(key: queueKey) != 5 { isElsewhere.withLockedValue { $0 = true } }
            got.withLockedValue { $0.append(event) }
        }
    }

    @Test("CON-2 a delegate is called on the queue that the application chose, in order", arguments: [true, false])
    func delegate(serial: Bool) async {
        let queue = serial ? DispatchQueue(label: "d") : DispatchQueue(label: "d", attributes: .concurrent)
        let key = DispatchSpecificKey<Int>()
        queue.setSpecific(key: key, value: 5)
        let listener = Listener(key)
        let session = Session(url: "ws://127.0.0.1:1", token: "")
        session.add(listener, on: .queue(queue))
        let events = (0..<300).map { SessionEvent.relayDraining(seconds: $0) }
        for event in events { session.board.send(event) }
        while listener.got.withLockedValue({ $0.count }) < 300 { await Task.yield() }
        #expect(listener.got.withLockedValue { $0 } == events)
        #expect(!listener.isElsewhere.withLockedValue { $0 })
    }

    private final class Named: SessionDelegate {
        let calls = NIOLockedValueBox<[String]>([])
        func note(_ call: String) { calls.withLockedValue { $0.append(call) } }
        func sessionDidConnect(_ session: Session) { note("connect") }
        func session(_ session: Session, didFailWith error: SessionError) { note("fail \(error.code.rawValue)") }
        func session(_ session: Session, didDisconnect reason: DisconnectReason) { note("disconnect") }
        func session(_ session: Session, receivedSignal type: String, data: String, from: ConnectionID?) {
            note("signal \(type) \(data)")
        }
    }

    @Test("CON-2 each event calls its delegate method") func named() async {
        let delegate = Named()
        let session = Session(url: "ws://127.0.0.1:1", token: "")
        session.add(delegate, on: DelegateExecutor { $0() })
        let user = UserInfo(id: ConnectionID(rawValue: "a"), name: "a", joinedAt: 0)
        for event: SessionEvent in [
            .didConnect(user), .signal(from: nil, type: "t", data: "d"), .didFail(SessionError(.tokenExpired)),
            .didDisconnect(.tokenExpired),
        ] {
            session.board.send(event)
        }
        #expect(delegate.calls.withLockedValue { $0 } == ["connect", "signal t d", "fail tokenExpired", "disconnect"])
    }

    private final class Told: MessagingDelegate {
        let calls = NIOLockedValueBox<[String]>([])
        func note(_ call: String) { calls.withLockedValue { $0.append(call) } }
        func messaging(_ client: MessagingClient, statusChanged status: SessionStatus) { note("status \(status)") }
        func messaging(_ client: MessagingClient, didFailWith error: SessionError) { note("fail \(error.code)") }
        func messaging(_ client: MessagingClient, groupChanged group: GroupChanged) { note("group \(group.id)") }
        func messaging(_ client: MessagingClient, groupDismissed group: String) { note("dismissed \(group)") }
        func messagingStoreReset(_ client: MessagingClient) { note("reset") }
    }

    @Test("CHT-5 each event of conversations calls its delegate method") func told() throws {
        let delegate = Told()
        let client = MessagingClient(url: "ws://127.0.0.1:1", token: "", store: try ConversationStore())
        for event: ConversationEvent in [
            .statusChanged(.connected), .didFail(SessionError(.tokenExpired)),
            .groupChanged(GroupChanged(id: "g", name: "Team", owner: "ada", size: 1, added: [], removed: [])),
            .groupDismissed("g"), .storeReset,
        ] {
            delegate.messaging(client, didReceive: event)
        }
        #expect(
            delegate.calls.withLockedValue { $0 }
                == ["status connected", "fail tokenExpired", "group g", "dismissed g", "reset"])
    }
}

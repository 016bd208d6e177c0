import MediaBase
import MediaEngine
import MillraceTestKit
import Testing

@Suite("Stream events that wait")
struct StreamEventQueueTests {
    private let subscriber = TransportID(rawValue: "v")
    private let publisher = TransportID(rawValue: "p")

    private func all(_ queue: inout StreamEventQueue) -> [StreamEvent] {
        var events: [StreamEvent] = []
        while let event = queue.pop() { events.append(event) }
        return events
    }

    private func dimensions(_ width: Int, stream: String = "cam") -> StreamEvent {
        .dimensions(session: "s", transport: publisher, stream: stream, width: width, height: 9)
    }

    @Test("In a half-full queue, a newer state replaces the older state of the same subject")
    func states() {
        var queue = StreamEventQueue(capacity: 12)
        let paused = StreamEvent.trackPaused(session: "s", transport: subscriber, stream: "cam", kind: .video)
        let resumed = StreamEvent.trackResumed(session: "s", transport: subscriber, stream: "cam", kind: .video)
        let other = StreamEvent.trackPaused(
            session: "s", transport: TransportID(rawValue: "w"), stream: "cam", kind: .video)
        queue.push(.published(session: "s", transport: publisher, stream: "cam"))
        for width in 1...1_000 { queue.push(dimensions(width)) }
        for _ in 0..<1_000 {
            queue.push(paused)
            queue.push(resumed)
        }
        queue.push(other)
        queue.push(.activeSpeaker(session: "s", subsession: "", stream: "cam"))
        queue.push(.activeSpeaker(session: "s", subsession: "", stream: nil))
        queue.push(.activeSpeaker(session: "t", subsession: "", stream: "cam"))
        #expect(queue.count == 10)
        #expect(
            all(&queue) == [
                .published(session: "s", transport: publisher, stream: "cam"), dimensions(1), dimensions(2),
                dimensions(3), dimensions(4),
                dimensions(1_000), resumed, other,
                .activeSpeaker(session: "s", subsession: "", stream: nil),
                .activeSpeaker(session: "t", subsession: "", stream: "cam"),
            ])
        #expect(queue.missed == 0 && queue.isEmpty)
        queue.push(paused)
        #expect(all(&queue) == [paused])
    }

    @Test("A new stream's state does not replace the state of an earlier stream of the same name")
    func lives() {
        var queue = StreamEventQueue(capacity: 4)
        let closed = StreamEvent.closed(session: "s", transport: publisher, stream: "cam")
        let published = StreamEvent.published(session: "s", transport: publisher, stream: "cam")
        for event in [dimensions(1), closed, published, dimensions(2), dimensions(3)] { queue.push(event) }
        #expect(all(&queue) == [dimensions(1), closed, published, dimensions(3)])
    }

    @Test("An active speaker event follows the media events it depends on, and frequent changes take no more room")
    func order() {
        var queue = StreamEventQueue(capacity: 8)
        let silence = StreamEvent.activeSpeaker(session: "s", subsession: "", stream: nil)
        let speaker = StreamEvent.activeSpeaker(session: "s", subsession: "", stream: "cam")
        let published = StreamEvent.published(session: "s", transport: publisher, stream: "cam")
        let other = StreamEvent.published(session: "s", transport: publisher, stream: "other")
        let began = StreamEvent.mediaBegan(session: "s", transport: publisher, stream: "cam", kind: .audio)
        for event in [published, silence, other, began, speaker] { queue.push(event) }
        #expect(queue.count == 4)
        #expect(all(&queue) == [published, other, began, speaker] && queue.isEmpty)
        for event in [published, dimensions(1), other, began, dimensions(2)] { queue.push(event) }
        #expect(all(&queue) == [published, dimensions(1), other, began, dimensions(2)], "not across its beginning")
        for event in [published, other, began, silence] { queue.push(event) }
        for _ in 0..<10_000 {
            queue.push(speaker)
            queue.push(silence)
        }
        queue.push(other)
        #expect(queue.count == 5 && queue.missed == 0)
        #expect(all(&queue) == [published, other, began, silence, other])
        queue.removeAll()
        for event in [published, other] { queue.push(event) }
        #expect(all(&queue) == [published, other])
    }

    @Test("A session's excess events are replaced by one `missed` event; other sessions lose none")
    func overflow() {
        var queue = StreamEventQueue(capacity: 4)
        func event(_ session: String, _ number: Int) -> StreamEvent {
            .published(session: session, transport: publisher, stream: "\(number)")
        }
        queue.push(event("quiet", 0))
        for number in 0..<100 { queue.push(event("loud", number)) }
        queue.push(event("quiet", 1))
        #expect(queue.missed == 100)
        #expect(all(&queue) == [event("quiet", 0), .missed(session: "loud"), event("quiet", 1)])
        // After it was taken, all events are kept again.
        queue.push(event("loud", 7))
        #expect(all(&queue) == [event("loud", 7)])
        // Too many sessions to keep a `missed` event for each.
        for number in 0..<1_000 { queue.push(event("\(number)", number)) }
        let rest = all(&queue)
        #expect(rest.contains(.missed(session: nil)) && rest.count <= 8)
    }

    @Test(
        "The queue stays within its limit, and every event is delivered, superseded by a newer state, or covered by a `missed` event",
        arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func property(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let capacity = 6
        var queue = StreamEventQueue(capacity: capacity)
        // Events by stream, because order is only guaranteed within a stream.
        var pushed: [String: [String: [StreamEvent]]] = [:]
        var missed: UInt64 = 0
        var popped = 0
        for _ in 0..<5_000 {
            if random.next() % 5 < 3 {
                let session = "s\(random.next() % 5)"
                let number = random.next() % 3
                let event: StreamEvent =
                    switch random.next() % 3 {
                    case 0: .published(session: session, transport: publisher, stream: "\(number)")
                    case 1: .closed(session: session, transport: publisher, stream: "\(number)")
                    default:
                        .dimensions(
                            session: session, transport: publisher, stream: "\(number)", width: Int(random.next() % 9),
                            height: 1)
                    }
                queue.push(event)
                pushed[session, default: [:]]["\(number)", default: []].append(event)
            } else if let event = queue.pop() {
                popped += 1
                switch event {
                case .missed(nil): pushed = [:]
                case .missed(let session?): pushed[session] = [:]
                case .published(let session, _, let stream), .closed(let session, _, let stream),
                    .dimensions(let session, _, let stream, _, _):
                    // Skipped events were superseded by a newer state.
                    let index = pushed[session]?[stream]?.firstIndex(of: event)
                    #expect(index != nil)
                    if let index { pushed[session]?[stream]?.removeFirst(index + 1) }
                default: Issue.record("\(event) was never pushed")
                }
            }
            #expect(queue.count <= 2 * capacity + 1 && queue.missed >= missed)
            missed = queue.missed
        }
        #expect(popped > 1_000 && missed > 0)
    }
}

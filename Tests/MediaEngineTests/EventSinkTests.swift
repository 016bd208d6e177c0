import Testing

@testable import MediaEngine

@Suite("Stream events reach every reader")
struct EventSinkTests {
    private func event(_ number: Int) -> StreamEvent { .published(session: "s", stream: "\(number)") }

    private func rest(_ stream: AsyncStream<StreamEvent>) async -> [StreamEvent] {
        await stream.reduce(into: []) { $0.append($1) }
    }

    @Test func theFirstReaderHearsAllAndOthersFromThenOn() async {
        let sink = EventSink()
        sink.send(event(1))
        let late = sink.addReader()
        sink.send(event(2))
        sink.finish()
        sink.send(event(3))
        #expect(await rest(sink.stream) == [event(1), event(2)])
        #expect(await rest(late) == [event(2)])
        #expect(await rest(sink.addReader()) == [])
    }

    @Test func aReaderThatGoesIsForgotten() async {
        let sink = EventSink()
        var reader: AsyncStream<StreamEvent>? = sink.addReader()
        let other = sink.addReader()
        sink.send(event(1))
        for await _ in reader! { break }
        reader = nil
        sink.send(event(2))
        sink.finish()
        #expect(await rest(other) == [event(1), event(2)])
    }

    @Test func theNewestAreKept() async {
        let sink = EventSink()
        let reader = sink.addReader()
        for number in 0..<EventSink.capacity + 10 { sink.send(event(number)) }
        sink.finish()
        let events = await rest(reader)
        #expect(events.count == EventSink.capacity)
        #expect(events.first == event(10))
    }
}

import MediaBase
import Testing

@testable import MediaEngine

@Suite("Stream events reach every reader")
struct EventSinkTests {
    private func event(_ number: Int) -> StreamEvent {
        .published(session: "s", transport: TransportID(rawValue: "t"), stream: "\(number)")
    }

    private func rest(_ stream: AsyncStream<StreamEvent>) async -> [StreamEvent] {
        await stream.reduce(into: []) { $0.append($1) }
    }

    @Test func eachHearsWhatComesFromThenOn() async {
        let sink = EventSink()
        let first = sink.addReader()
        sink.send(event(1))
        let late = sink.addReader()
        sink.send(event(2))
        sink.finish()
        sink.send(event(3))
        #expect(await rest(first) == [event(1), event(2)])
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

    @Test func aReaderThatWaitsIsWoken() async {
        let sink = EventSink()
        let reader = sink.addReader()
        let task = Task { await rest(reader) }
        for number in 0..<100 {
            sink.send(event(number))
            if number % 10 == 0 { await Task.yield() }
        }
        sink.finish()
        #expect(await task.value == (0..<100).map(event))
    }

    @Test func aReadersTaskThatIsCancelledEnds() async {
        let sink = EventSink()
        let reader = sink.addReader()
        let task = Task { await rest(reader) }
        await Task.yield()
        task.cancel()
        #expect(await task.value == [])
        sink.send(event(1))
    }

    @Test("Events beyond a reader's limit are reported as missed, and counted when the reader reads")
    func missed() async {
        let sink = EventSink(capacity: 4)
        let reader = sink.addReader()
        let idle = sink.addReader()
        for number in 0..<10 { sink.send(event(number)) }
        #expect(sink.missed == 0)
        var iterator = reader.makeAsyncIterator()
        #expect(await iterator.next() == .missed(session: "s"))
        #expect(sink.missed == 10)
        // From then on it receives all events again.
        sink.send(event(11))
        #expect(await iterator.next() == event(11))
        sink.finish()
        #expect(await iterator.next() == nil)
        // The limit also applies to events that were sent before the reader's first read.
        #expect(await rest(idle) == [.missed(session: "s")])
    }

    @Test("Events that a reader missed stay counted when its task is cancelled")
    func missedByCancelled() async {
        let sink = EventSink(capacity: 4)
        let reader = sink.addReader()
        for number in 0..<10 { sink.send(event(number)) }
        var iterator = reader.makeAsyncIterator()
        #expect(await iterator.next() == .missed(session: "s"))
        let task = Task { await rest(reader) }
        task.cancel()
        #expect(await task.value == [])
        #expect(sink.missed == 10)
    }
}

import Conference
import MillraceTestKit
import Signaling
import Testing

@Suite struct OutboxTests {
    private func limits(_ replay: Int, _ unsent: Int, replayBytes: Int = .max, unsentBytes: Int = .max) -> OutboxLimits
    {
        var limits = OutboxLimits()
        (limits.replayEvents, limits.unsentEvents) = (replay, unsent)
        (limits.replayBytes, limits.unsentBytes) = (replayBytes, unsentBytes)
        return limits
    }

    private func drain(_ outbox: inout Outbox<Int>) -> [Int] {
        var all: [Int] = []
        while let item = outbox.next() { all.append(item.payload) }
        return all
    }

    @Test("CON-3 events are numbered from 1 and delivered in order")
    func order() throws {
        var outbox = Outbox<String>()
        #expect(outbox.next() == nil && outbox.lastSeq == 0)
        for text in ["a", "b"] { try outbox.append(text, bytes: 1) }
        let first = outbox.next()
        #expect(first?.seq == 1 && first?.payload == "a")
        #expect(outbox.next()?.seq == 2)
        #expect(outbox.next() == nil)
        #expect(outbox.unsentCount == 0 && outbox.keptCount == 2 && outbox.keptBytes == 2)
    }

    @Test("CON-3 missed events are replayed, including those of the time without a connection")
    func replay() throws {
        var outbox = Outbox<Int>(limits: limits(10, 10))
        for number in 1...5 { try outbox.append(number, bytes: 1) }
        #expect(drain(&outbox) == [1, 2, 3, 4, 5])
        outbox.detach()
        try outbox.append(6, bytes: 1)
        #expect(outbox.next() == nil)
        #expect(try outbox.resume(lastEvent: 3) == 3)
        #expect(drain(&outbox) == [4, 5, 6])
        // A second resume, from the oldest and then from the newest kept event.
        outbox.detach()
        #expect(try outbox.resume(lastEvent: 0) == 6)
        #expect(drain(&outbox) == [1, 2, 3, 4, 5, 6])
        #expect(try outbox.resume(lastEvent: 6) == 0)
        #expect(outbox.next() == nil)
    }

    @Test("CON-3 resuming after evicted events is a gap, after an unknown event an error; neither changes the outbox")
    func gap() throws {
        var outbox = Outbox<Int>(limits: limits(3, 100))
        for number in 1...5 { try outbox.append(number, bytes: 1) }
        _ = drain(&outbox)
        outbox.detach()
        #expect(outbox.keptCount == 3)
        #expect(code { _ = try outbox.resume(lastEvent: 1) } == .resumeGap)
        #expect(code { _ = try outbox.resume(lastEvent: 6) } == .invalidField)
        #expect(code { _ = try outbox.resume(lastEvent: .max) } == .invalidField)
        #expect(!outbox.isAttached)
        #expect(try outbox.resume(lastEvent: 2) == 3)
        #expect(drain(&outbox) == [3, 4, 5])
    }

    @Test("CON-3 after a restart the next event has number 1, and earlier ones are gone", arguments: [true, false])
    func restart(isAttached: Bool) throws {
        var outbox = Outbox<Int>(limits: limits(3, 4))
        for number in 1...3 { try outbox.append(number, bytes: 1) }
        _ = outbox.next()
        if !isAttached { outbox.detach() }
        outbox.restart()
        #expect(outbox.isAttached && outbox.lastSeq == 0 && outbox.keptCount == 0 && outbox.keptBytes == 0)
        #expect(outbox.next() == nil)
        for number in 4...7 { try outbox.append(number, bytes: 1) }
        #expect(throws: Outbox<Int>.Overflow.self) { try outbox.append(8, bytes: 1) }
        #expect(outbox.next()?.seq == 1)
        #expect(drain(&outbox) == [5, 6, 7])
        outbox.detach()
        #expect(code { _ = try outbox.resume(lastEvent: 5) } == .invalidField)
        #expect(try outbox.resume(lastEvent: 3) == 1)
    }

    @Test("a client that does not read overflows its outbox, by events or by bytes; a disconnected client never does")
    func overflow() throws {
        var byEvents = Outbox<Int>(limits: limits(3, 4))
        for number in 1...4 { try byEvents.append(number, bytes: 1) }
        #expect(throws: Outbox<Int>.Overflow.self) { try byEvents.append(5, bytes: 1) }
        #expect(drain(&byEvents) == [1, 2, 3, 4])
        #expect(byEvents.lastSeq == 4)

        var byBytes = Outbox<Int>(limits: limits(100, 100, replayBytes: 50, unsentBytes: 100))
        try byBytes.append(1, bytes: 100)
        #expect(throws: Outbox<Int>.Overflow.self) { try byBytes.append(2, bytes: 1) }
        #expect(byBytes.next()?.payload == 1)
        // An event larger than the replay limit.
        #expect(byBytes.keptBytes == 0)
        try byBytes.append(2, bytes: 100)

        byBytes.detach()
        #expect(byBytes.keptBytes == 0)
        for number in 3...1_000 { try byBytes.append(number, bytes: 10) }
        #expect(byBytes.keptBytes == 50 && byBytes.keptCount == 5)
        #expect(byBytes.lastSeq == 1_000)
        #expect(code { _ = try byBytes.resume(lastEvent: 994) } == .resumeGap)
        #expect(try byBytes.resume(lastEvent: 995) == 5)
    }

    /// Events that were written may be lost with the socket; the client names its last event and gets the rest.
    @Test("CON-3 each event arrives once and in order through any losses", arguments: 1...40)
    func property(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limits = limits(1 + random.below(40), 1 + random.below(60), replayBytes: 1 + random.below(4_000))
        var outbox = Outbox<Int>(limits: limits)
        var received: UInt64 = 0
        var inFlight: [(seq: UInt64, payload: Int)] = []
        var appended = 0
        var gaps = 0
        for _ in 0..<5_000 {
            switch random.below(10) {
            case 0...4:
                do throws(Outbox<Int>.Overflow) {
                    try outbox.append(appended + 1, bytes: random.below(200))
                    appended += 1
                } catch {
                    #expect(outbox.isAttached && outbox.unsentCount >= limits.unsentEvents)
                }
            case 5, 6: if let item = outbox.next() { inFlight.append((item.seq, item.payload)) }
            case 7:
                guard !inFlight.isEmpty else { break }
                let item = inFlight.removeFirst()
                #expect(item.seq == received + 1 && item.payload == Int(item.seq))
                received = item.seq
            case 8 where random.below(3) == 0:
                inFlight = []
                outbox.detach()
            default:
                guard !outbox.isAttached else { break }
                let code = code {
                    let missed = try outbox.resume(lastEvent: received)
                    #expect(UInt64(missed) == outbox.lastSeq - received)
                }
                if code == .resumeGap {
                    // The client joins again with a new outbox.
                    gaps += 1
                    outbox = Outbox(limits: limits)
                    (received, appended) = (0, 0)
                }
            }
            #expect(Int(outbox.lastSeq) == appended)
            if !outbox.isAttached {
                #expect(outbox.keptCount <= limits.replayEvents && outbox.keptBytes <= limits.replayBytes)
            }
            #expect(outbox.keptCount <= limits.replayEvents + limits.unsentEvents)
        }
        #expect(received > 0 || gaps > 0)
    }
}

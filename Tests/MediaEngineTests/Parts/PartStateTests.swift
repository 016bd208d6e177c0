import Testing

@testable import MediaEngine

@Suite("State of a part of a session")
struct PartStateTests {
    @Test("Calls wait up to a limit until the streams are known, which happens once") func waiting() {
        var part = PartState(home: 0, number: 1)
        let waits = (0..<3).map { _ in part.wait({ _, _ in }, atMost: 2) }
        #expect(waits == [true, true, false] && part.waiting.count == 2 && !part.isSynchronized)
        let isFirst = part.synchronize()
        let isRepeated = part.synchronize()
        #expect(isFirst && !isRepeated && part.isSynchronized)
        // The part is in use as long as one of its calls waits.
        let taken = [part.takeWaiting() != nil, part.waiting.isEmpty, part.takeWaiting() != nil, part.waiting.isEmpty]
        #expect(taken == [true, false, true, true])
        let isOver = part.takeWaiting() == nil
        #expect(isOver)
    }

    @Test("A message is posted to the home worker; without that worker it is refused") func messages() throws {
        let totals = WorkerTotals(workers: 2)
        let mailboxes = [Mailbox(limit: 1), Mailbox(limit: 1)]
        totals.connect(mailboxes)
        let isPosted = PartState(home: 1, number: 7).post({ _, _, _ in }, from: 0, totals)
        #expect(isPosted && mailboxes[0].isEmpty && !mailboxes[1].isEmpty)
        let isRefused = !PartState(home: 2, number: 7).post({ _, _, _ in }, from: 0, totals)
        #expect(isRefused)
    }
}

import Conference
import ControlServer
import MediaBase
import MillraceTestKit
import Signaling
import Testing

@Suite("Webhooks: order and times of deliveries, in virtual time")
struct WebhookQueueTests {
    private func event(_ session: String, app: String = "shop") throws -> WebhookEvent {
        WebhookEvent(.participantJoined, session: try SessionKey(app: app, name: session), time: 0)
    }

    private func drain(_ queue: inout WebhookQueue, at now: MediaTime) -> [WebhookQueue.Delivery] {
        var all: [WebhookQueue.Delivery] = []
        while let delivery = queue.next(now: now) { all.append(delivery) }
        return all
    }

    @Test func aSessionsEventsGoOneAfterAnother() throws {
        var queue = WebhookQueue()
        for _ in 0..<3 { queue.add(try event("a"), now: .zero) }
        queue.add(try event("b"), now: .zero)
        let first = drain(&queue, at: .zero)
        #expect(first.map(\.number) == [1, 4])
        #expect(queue.deadline == .never)
        queue.finished(first[0], .delivered, now: .zero)
        let second = drain(&queue, at: .zero)
        #expect(second.map(\.number) == [2])
        #expect(queue.waiting == 3 && queue.delivered == 1)
    }

    @Test func whatFailsIsTriedAgainWithGrowingPausesAndHoldsUpItsSessionAlone() throws {
        var queue = WebhookQueue()
        queue.add(try event("a"), now: .zero)
        queue.add(try event("a"), now: .zero)
        queue.add(try event("b"), now: .zero)
        var now = MediaTime.zero
        var pauses: [Double] = []
        var tries = drain(&queue, at: now)
        queue.finished(tries[1], .delivered, now: now)
        var delivery = tries[0]
        for attempt in 1...9 {
            #expect(delivery.number == 1 && delivery.attempt == attempt)
            queue.finished(delivery, .failed, now: now)
            let none = drain(&queue, at: now)
            #expect(none.isEmpty)
            pauses.append((queue.deadline - now).seconds)
            now = queue.deadline
            tries = drain(&queue, at: now)
            delivery = try #require(tries.first)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        queue.finished(delivery, .delivered, now: now)
        // The next delivery starts with its first attempt.
        let rest = drain(&queue, at: now)
        let next = try #require(rest.first)
        #expect(next.number == 2 && next.attempt == 1)
        #expect(queue.retries == 9)
    }

    @Test func patienceEndsAndTheNextEventGoesOut() throws {
        var limits = WebhookQueue.Limits()
        limits.patience = .seconds(10)
        var queue = WebhookQueue(limits: limits)
        queue.add(try event("a"), now: .zero)
        queue.add(try event("a"), now: .seconds(9))
        var now = MediaTime.zero
        var numbers: [UInt64] = []
        while queue.expired == 0 {
            let next = queue.next(now: now)
            let delivery = try #require(next)
            numbers.append(delivery.number)
            queue.finished(delivery, .failed, now: now)
            if queue.deadline != .never { now = max(now, queue.deadline) }
        }
        #expect(numbers == [1, 1, 1, 1])
        let rest = drain(&queue, at: now)
        #expect(rest.map(\.number) == [2])
        #expect(queue.waiting == 1)
    }

    @Test func whatIsRefusedIsNotTriedAgain() throws {
        var queue = WebhookQueue()
        queue.add(try event("a"), now: .zero)
        queue.add(try event("a"), now: .zero)
        let first = queue.next(now: .zero)
        queue.finished(try #require(first), .refused, now: .zero)
        #expect(queue.refused == 1)
        let second = drain(&queue, at: .zero)
        #expect(second.map(\.number) == [2])
    }

    @Test func theQueueIsBoundedAndItsNumbersTellWhatIsMissing() throws {
        var limits = WebhookQueue.Limits()
        limits.events = 3
        var queue = WebhookQueue(limits: limits)
        let taken = try (0..<5).map { _ in queue.add(try event("a"), now: .zero) }
        #expect(taken == [true, true, true, false, false])
        #expect(queue.dropped == 2 && queue.waiting == 3)
        let first = queue.next(now: .zero)
        var delivery = try #require(first)
        queue.finished(delivery, .delivered, now: .zero)
        let isTaken = queue.add(try event("a"), now: .zero)
        #expect(isTaken)
        var numbers = [delivery.number]
        while let next = queue.next(now: .zero) {
            delivery = next
            numbers.append(delivery.number)
            queue.finished(delivery, .delivered, now: .zero)
        }
        #expect(numbers == [1, 2, 3, 6])
        #expect(queue.isEmpty && queue.deadline == .never)
    }

    @Test func onlySoManyRequestsGoAtATimeAndSessionsTakeTurns() throws {
        var limits = WebhookQueue.Limits()
        limits.requests = 2
        var queue = WebhookQueue(limits: limits)
        for session in ["a", "b", "c"] { for _ in 0..<2 { queue.add(try event(session), now: .zero) } }
        var sent: [String] = []
        var flying = drain(&queue, at: .zero)
        while let first = flying.first {
            #expect(flying.count <= 2)
            sent.append(first.event.session.name)
            flying.removeFirst()
            queue.finished(first, .delivered, now: .zero)
            flying += drain(&queue, at: .zero)
        }
        #expect(sent == ["a", "b", "c", "a", "b", "c"])
    }

    @Test(
        "events stay in order after any failures, and none is lost or delivered twice",
        arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func property(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var queue = WebhookQueue()
        var now = MediaTime.zero
        var flying: [WebhookQueue.Delivery] = []
        var delivered: [String: [UInt64]] = [:]
        var added: [String: [UInt64]] = [:]
        var number: UInt64 = 0
        func step(mayAdd: Bool) throws {
            switch random.next() % 4 {
            case 0 where mayAdd:
                number += 1
                let session = "s\(random.next() % 5)"
                let isTaken = queue.add(try event(session), now: now)
                #expect(isTaken)
                added[session, default: []].append(number)
            case 1, 2:
                guard !flying.isEmpty else { break }
                let delivery = flying.remove(at: Int(random.next() % UInt64(flying.count)))
                let isGood = random.next() % 3 > 0
                queue.finished(delivery, isGood ? .delivered : .failed, now: now)
                if isGood { delivered[delivery.event.session.name, default: []].append(delivery.number) }
            default:
                now += .milliseconds(Int64(random.next() % 2_000))
            }
            flying += drain(&queue, at: now)
            #expect(Set(flying.map(\.event.session)).count == flying.count)
        }
        for _ in 0..<2_000 { try step(mayAdd: true) }
        for _ in 0..<100_000 where !queue.isEmpty { try step(mayAdd: false) }
        #expect(delivered == added)
        #expect(queue.isEmpty)
    }

    @Test("an app with many events leaves other apps their share of concurrent requests")
    func requestsAreShared() throws {
        var limits = WebhookQueue.Limits()
        limits.requests = 4
        var queue = WebhookQueue(limits: limits)
        for number in 0..<50 { queue.add(try event("s\(number)", app: "loud"), now: .zero) }
        var flying = drain(&queue, at: .zero)
        #expect(flying.count == 3 && queue.deadline == .never)
        for _ in 0..<2 { for session in ["a", "b"] { queue.add(try event(session, app: "quiet"), now: .zero) } }
        let quiet = drain(&queue, at: .zero)
        #expect(quiet.map(\.event.session.app) == ["quiet"])
        flying += quiet
        var delivered: [String: Int] = [:]
        while delivered["quiet", default: 0] < 4 {
            let next = flying.removeFirst()
            queue.finished(next, .delivered, now: .zero)
            delivered[next.event.session.app, default: 0] += 1
            flying += drain(&queue, at: .zero)
            #expect(flying.count <= 4 && !flying.isEmpty)
        }
        #expect(delivered["loud", default: 0] <= 8, "\(delivered)")
    }

    @Test("a full queue drops events of other apps for an app that has less than its share")
    func roomIsShared() throws {
        var limits = WebhookQueue.Limits()
        limits.events = 10
        var queue = WebhookQueue(limits: limits)
        for _ in 0..<20 { queue.add(try event("a", app: "loud"), now: .zero) }
        let first = queue.next(now: .zero)
        #expect(first?.number == 1 && queue.dropped == 10)
        var taken = 0
        for _ in 0..<10 { if queue.add(try event("b", app: "quiet"), now: .zero) { taken += 1 } }
        #expect(taken == 5 && queue.waiting == 10)
        let isTaken = queue.add(try event("a", app: "loud"), now: .zero)
        #expect(!isTaken)
        var delivered: [String: [UInt64]] = ["loud": [1]]
        queue.finished(try #require(first), .delivered, now: .zero)
        while let next = queue.next(now: .zero) {
            delivered[next.event.session.app, default: []].append(next.number)
            queue.finished(next, .delivered, now: .zero)
        }
        // The oldest events of each app stay, in order.
        #expect(delivered == ["loud": [1, 2, 3, 4, 5], "quiet": [21, 22, 23, 24, 25]])
        #expect(queue.isEmpty && queue.deadline == .never)
    }
}

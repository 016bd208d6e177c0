import MillraceClient
import Testing

@Suite("SDK and relay: statistics of subscribers that have ended", .serialized) struct SubscriberStatisticsTests {
    enum End: CaseIterable {
        case unsubscribed
        case unpublished
        case left
    }

    @Test("Statistics of a subscriber can be read after it ended", .timeLimit(.minutes(2)), arguments: End.allCases)
    func outlive(end: End) async throws {
        try await RelayUnderTest.run { relay in
            let call = try await relay.call()
            _ = await SessionMediaTests.counters(call.subscriber, 10, "frames")
            let before = await call.subscriber.statistics
            #expect(before.framesDecoded >= 5 && before.audioPackets > 0)
            switch end {
            case .unsubscribed: try await call.bob.unsubscribe(call.subscriber)
            case .unpublished:
                let events = call.subscriber.events
                try await call.ada.unpublish(call.publisher)
                _ = await first(of: events, "the end") { event -> Bool? in
                    if case .ended = event { return true }
                    return nil
                }
            case .left: await call.bob.disconnect()
            }
            #expect(call.subscriber.isEnded)
            let after = await call.subscriber.statistics
            #expect(after.framesDecoded >= before.framesDecoded && after.audioPackets >= before.audioPackets)
            #expect(after.width == TestSource.width && (after.transport?.receivedPackets ?? 0) > 0)
            await call.bob.disconnect()
            await call.ada.disconnect()
        }
    }
}

import MediaBase
import Testing

@testable import MediaEngine

@Suite("Search for the publisher of a packet from an unknown address")
struct PublisherSearchTests {
    @Test("Attempts to decrypt packets from unknown addresses are limited per second, except for those that succeed")
    func attempts() throws {
        var search = PublisherSearch()
        let table = PeerTable(total: WorkerTotal(workers: 1), worker: 0)
        let before = search.takeAttempt()
        _ = search.publishers(of: SSRC(1), among: table, now: .zero)
        var taken = 0
        while search.takeAttempt() { taken += 1 }
        #expect(!before && taken == 50)
        search.returnAttempt()
        let returned = search.takeAttempt()
        let isOver = !search.takeAttempt()
        #expect(returned && isOver)
        _ = search.publishers(of: SSRC(1), among: table, now: .milliseconds(999))
        let early = search.takeAttempt()
        _ = search.publishers(of: SSRC(1), among: table, now: .seconds(1))
        let later = search.takeAttempt()
        #expect(!early && later)
    }
}

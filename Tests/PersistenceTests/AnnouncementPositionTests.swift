import Testing

@testable import Persistence

/// Place of a relay in the announcements of the others.
@Suite struct AnnouncementPositionTests {
    private func position(at number: Int64) -> AnnouncementPosition {
        var position = AnnouncementPosition()
        _ = position.read(last: number, removed: 0, page: [], limit: 3)
        return position
    }

    @Test("CLU-4 a relay that starts is told of nothing that was committed before")
    func start() {
        var position = AnnouncementPosition()
        #expect(position.read(last: 7, removed: 5, page: [], limit: 3) == .tell(isMore: false))
        #expect(position.number == 7)
    }

    @Test("CLU-4 announcements are read page by page until a page is not full")
    func pages() {
        var position = position(at: 7)
        #expect(position.read(last: 11, removed: 5, page: [8, 9, 10], limit: 3) == .tell(isMore: true))
        #expect(position.read(last: 11, removed: 5, page: [11], limit: 3) == .tell(isMore: false))
        #expect(position.read(last: 11, removed: 5, page: [], limit: 3) == .tell(isMore: false))
        #expect(position.number == 11)
    }

    @Test("CLU-4 a relay passes its own announcements")
    func own() {
        var position = position(at: 7)
        position.pass(8)
        #expect(position.read(last: 8, removed: 7, page: [], limit: 3) == .tell(isMore: false))
        #expect(position.number == 8)
    }

    @Test(
        "CLU-4 a relay notices announcements that were removed, and a database that has lost the newest ones",
        arguments: [(last: Int64(20), removed: Int64(8), isMissed: true), (20, 7, false), (6, 0, true), (7, 7, false)])
    func missed(_ state: (last: Int64, removed: Int64, isMissed: Bool)) {
        var position = position(at: 7)
        let step = position.read(last: state.last, removed: state.removed, page: [], limit: 3)
        #expect((step == .missed) == state.isMissed)
        if state.isMissed { #expect(position.number == state.last) }
    }
}

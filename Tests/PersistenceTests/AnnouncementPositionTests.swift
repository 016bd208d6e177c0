import Testing

@testable import Persistence

/// Position of a relay in the announcements of the others.
@Suite struct AnnouncementPositionTests {
    private typealias Answer = AnnouncementPosition.Answer
    private typealias Mark = AnnouncementPosition.Mark

    /// Answer of a database in which the announcement n has the tag 100 n + `tags`.
    private func answer(
        last: Int64, removed: Int64 = 0, behind number: Int64? = nil, page: [Int64] = [], tags: Int64 = 0
    )
        -> Answer
    {
        func tag(_ number: Int64) -> Int64? { number > removed && number <= last ? 100 * number + tags : nil }
        func mark(_ number: Int64) -> Mark { Mark(number: number, tag: tag(number)) }
        return Answer(last: mark(last), removed: removed, tag: number.flatMap(tag), page: page.map(mark))
    }

    private func position(at number: Int64) -> AnnouncementPosition {
        var position = AnnouncementPosition()
        _ = position.read(answer(last: number))
        return position
    }

    @Test("CLU-4 a relay that starts is told of nothing that was committed before")
    func start() {
        var position = AnnouncementPosition()
        #expect(position.read(answer(last: 7, removed: 5)) == .tell(isMore: false))
        #expect(position.number == 7)
    }

    @Test("CLU-4 a relay that starts while the database is down does not know what its users have read by then")
    func late() {
        var position = AnnouncementPosition()
        position.noteFailure()
        #expect(position.read(answer(last: 7)) == .missed)
        position.noteFailure()
        #expect(position.read(answer(last: 8, behind: 7, page: [8])) == .tell(isMore: false))
    }

    @Test("CLU-4 announcements are read page by page until the newest one")
    func pages() {
        var position = position(at: 7)
        #expect(position.read(answer(last: 11, behind: 7, page: [8, 9, 10])) == .tell(isMore: true))
        #expect(position.read(answer(last: 11, behind: 10, page: [11])) == .tell(isMore: false))
        #expect(position.read(answer(last: 11, behind: 11)) == .tell(isMore: false))
        #expect(position.number == 11)
    }

    @Test("CLU-4 a relay passes its own announcements")
    func own() {
        var position = position(at: 7)
        position.pass(.init(number: 8, tag: 800))
        #expect(position.read(answer(last: 8, removed: 7, behind: 8)) == .tell(isMore: false))
        #expect(position.number == 8)
    }

    @Test(
        "CLU-4 a relay notices announcements that were removed, and a database that has lost the newest ones",
        arguments: [(last: Int64(20), removed: Int64(8), isMissed: true), (20, 7, false), (6, 0, true), (7, 7, false)])
    func missed(_ state: (last: Int64, removed: Int64, isMissed: Bool)) {
        var position = position(at: 7)
        let page = state.last > 7 && !state.isMissed ? Array(8...state.last) : []
        let step = position.read(answer(last: state.last, removed: state.removed, behind: 7, page: page))
        #expect((step == .missed) == state.isMissed)
        #expect(position.number == state.last)
    }

    @Test("CLU-4 a relay notices lost announcements also after others have got the same numbers")
    func usedAgain() {
        var position = position(at: 100)
        // Three were lost, and five committed after that.
        #expect(position.read(answer(last: 102, behind: 100, page: [101, 102], tags: 1)) == .missed)
        #expect(position.read(answer(last: 103, behind: 102, page: [103], tags: 1)) == .tell(isMore: false))
    }

    @Test("CLU-4 announcements that are missing without having been removed are lost")
    func gap() {
        var position = position(at: 7)
        #expect(position.read(answer(last: 9, behind: 7)) == .missed)
        #expect(position.number == 9)
    }

    @Test("CLU-4 a relay that skips announcements has missed them, and begins at the newest one")
    func skip() {
        var position = position(at: 7)
        position.skip()
        #expect(position.number == nil)
        #expect(position.read(answer(last: 20)) == .missed)
        #expect(position.read(answer(last: 20, behind: 20)) == .tell(isMore: false))
    }
}

import Cluster
import MediaBase
import Signaling
import Testing

@Suite("CLU-3: saving a session's state")
struct StateSaverTests {
    private let tenure = SessionTenure(home: RelayIdentity(id: RelayID(rawValue: "a"), incarnation: 1), term: 1)
    private let next = SessionTenure(home: RelayIdentity(id: RelayID(rawValue: "a"), incarnation: 2), term: 2)
    private func user(_ number: Int) -> ConnectionID { ConnectionID(rawValue: "user\(number)") }

    @Test("changes wait for the batch time, or until an answer needs them")
    func batches() {
        var saver = StateSaver()
        saver.note(essence: "1", now: .zero)
        saver.note(seat: "a", of: user(1), now: .milliseconds(5))
        #expect(saver.takeSave(under: tenure, now: .milliseconds(10)) == nil)
        #expect(saver.deadline == saver.settings.batchTime)
        saver.hurry(now: .milliseconds(10))
        #expect(saver.deadline == .milliseconds(10))
        let changes = saver.takeSave(under: tenure, now: .milliseconds(10))
        #expect(changes == SessionChanges(essence: "1", seats: [user(1): "a"]))
        #expect(!saver.isSaved(1) && !saver.isSaved(2))
        saver.finished(.saved, now: .milliseconds(12))
        #expect(saver.isSaved(2) && saver.isSaved && saver.deadline == .never)
    }

    @Test("values that are equal are not saved again, and a removed client is")
    func equality() {
        var saver = StateSaver(stored: StoredSession(essence: "1", seats: [user(1): "a"]), tenure: tenure)
        saver.note(essence: "1", now: .zero)
        saver.note(seat: "a", of: user(1), now: .zero)
        #expect(saver.deadline == .never && saver.latestChange == 0)
        saver.note(seat: nil, of: user(1), now: .zero)
        let changes = saver.takeSave(under: tenure, now: .seconds(1))
        #expect(changes == SessionChanges(seats: [user(1): nil]))
    }

    @Test("a change during a save is saved afterwards, and only then answered")
    func during() {
        var saver = StateSaver()
        saver.note(essence: "1", now: .zero)
        #expect(saver.takeSave(under: tenure, now: .seconds(1))?.essence == "1")
        saver.note(essence: "2", now: .seconds(1))
        #expect(saver.takeSave(under: tenure, now: .seconds(2)) == nil)
        saver.finished(.saved, now: .seconds(2))
        #expect(saver.isSaved(1) && !saver.isSaved(2))
        #expect(saver.takeSave(under: tenure, now: .seconds(2))?.essence == "2")
        saver.finished(.saved, now: .seconds(2))
        #expect(saver.isSaved(2))
    }

    @Test("answers wait for a store that does not answer, unless no relay reaches it; it gets the latest state later")
    func away() {
        var saver = StateSaver()
        saver.note(essence: "1", now: .zero)
        saver.note(seat: "a", of: user(1), now: .zero)
        _ = saver.takeSave(under: tenure, now: .seconds(1))
        #expect(saver.outcome(of: 2, after: .zero, acts: true, isStoreDown: false) == .wait && saver.deadline == .never)
        #expect(saver.outcome(of: 2, after: .zero, acts: true, isStoreDown: true) == .answer && !saver.isSaved(1))
        #expect(saver.outcome(of: 2, after: .zero, acts: false, isStoreDown: true) == .refuse)
        #expect(saver.outcome(of: 2, after: saver.settings.waitLimit, acts: true, isStoreDown: false) == .refuse)
        #expect(saver.outcome(of: 2, after: saver.settings.waitLimit, acts: true, isStoreDown: true) == .answer)
        saver.note(essence: "2", now: .seconds(4))
        saver.finished(.failed, now: .seconds(5))
        #expect(!saver.isSaved(3) && !saver.isSaved)
        #expect(saver.deadline == .seconds(5) + saver.settings.retryTime)
        // No attempt comes earlier, whatever waits.
        saver.hurry(now: .seconds(5))
        #expect(saver.takeSave(under: tenure, now: .seconds(5.5)) == nil)
        let changes = saver.takeSave(under: tenure, now: .seconds(6))
        #expect(changes == SessionChanges(essence: "2", seats: [user(1): "a"]))
        saver.finished(.saved, now: .seconds(6))
        #expect(saver.isSaved)
        saver.note(essence: "3", now: .seconds(7))
        #expect(!saver.isSaved(saver.latestChange))
    }

    @Test("a relay without a tenure saves nothing and tries again later")
    func withoutTenure() {
        var saver = StateSaver()
        saver.note(essence: "1", now: .zero)
        #expect(saver.takeSave(under: nil, now: .seconds(1)) == nil)
        #expect(!saver.isSaved(1) && saver.deadline == .seconds(1) + saver.settings.retryTime)
        #expect(saver.takeSave(under: tenure, now: .seconds(2))?.essence == "1")
    }

    @Test("a refused save is not answered; under another tenure the whole state is saved")
    func refused() {
        var saver = StateSaver(
            stored: StoredSession(essence: "1", seats: [user(1): "a", user(2): "b"]), tenure: tenure)
        saver.note(seat: "c", of: user(2), now: .zero)
        _ = saver.takeSave(under: tenure, now: .seconds(1))
        saver.finished(.refused, now: .seconds(1))
        #expect(saver.isRefused && saver.outcome(of: 1, after: .zero, acts: true, isStoreDown: true) == .refuse)
        #expect(
            saver.takeSave(under: next, now: .seconds(1))
                == SessionChanges(
                    essence: "1", seats: [user(1): "a", user(2): "c"]))
        #expect(!saver.isRefused)
        saver.finished(.saved, now: .seconds(2))
        #expect(saver.isSaved)
    }

    @Test("a save has a limited number of clients; answers wait until all are saved")
    func limit() {
        var settings = StateSaverSettings()
        settings.items = 2
        var saver = StateSaver(settings: settings)
        for number in 1...5 { saver.note(seat: "\(number)", of: user(number), now: .zero) }
        var saved: [ConnectionID: String] = [:]
        for round in 1...3 {
            guard let changes = saver.takeSave(under: tenure, now: .seconds(1)) else { break }
            #expect(changes.seats.count <= 2 && !saver.isSaved(5))
            for (id, text) in changes.seats { saved[id] = text }
            // The first client changes again while others wait.
            if round == 1 { saver.note(seat: "again", of: user(1), now: .seconds(1)) }
            saver.finished(.saved, now: .seconds(1))
        }
        #expect(saver.isSaved(6) && saved.count == 5 && saved[user(1)] == "again")
    }
}

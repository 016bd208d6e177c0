import CLinuxNet
import MediaBase
import Testing

@testable import MediaEngine

@Suite("Mailbox")
struct MailboxTests {
    @Test("Keeps the order, refuses calls beyond its limit and calls after closing")
    func orderAndRefusal() throws {
        let mailbox = Mailbox(limit: 3)
        #expect(mailbox.takeAll().isEmpty)
        for _ in 0..<3 { try mailbox.post { _ in } }
        #expect(throws: Mailbox.Refusal.full) { try mailbox.post { _ in } }
        #expect(mailbox.takeAll().count == 3)
        try mailbox.post { _ in }
        mailbox.close { _ in }
        #expect(throws: Mailbox.Refusal.closed) { try mailbox.post { _ in } }
        mailbox.close { _ in }
        #expect(mailbox.takeAll().count == 2, "one post and the first closing")
    }

    @Test("Calls that stop media are accepted when others are not, up to a limit of their own")
    func urgent() throws {
        let mailbox = Mailbox(limit: 600)
        for _ in 0..<600 { try mailbox.post { _ in } }
        #expect(throws: Mailbox.Refusal.full) { try mailbox.post { _ in } }
        for _ in 0..<600 { try mailbox.post(isUrgent: true) { _ in } }
        #expect(throws: Mailbox.Refusal.full) { try mailbox.post(isUrgent: true) { _ in } }
        #expect(mailbox.takeAll().count == 1_200)
    }

    @Test("The descriptor is readable exactly while the mailbox holds something")
    func event() throws {
        let mailbox = Mailbox(limit: 100)
        func isReadable() -> Bool {
            var fd = mailbox.event
            return millrace_wait(&fd, 1, 0) == 1
        }
        #expect(!isReadable())
        try mailbox.post { _ in }
        try mailbox.post { _ in }
        #expect(isReadable())
        _ = mailbox.takeAll()
        #expect(!isReadable())
        mailbox.close { _ in }
        #expect(isReadable())
    }
}

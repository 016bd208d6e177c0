import Foundation
import MillraceTestKit
import Signaling
import Testing

@testable import MillraceClient

@Suite("Store of conversations") struct ConversationStoreTests {
    static let bob = ConversationRef.peer("bob")

    static func message(_ number: Int64, in ref: ConversationRef = bob, from: String = "bob") -> Message {
        Message(
            id: "m\(number)", number: number, conversation: ref, from: from, text: "text \(number)",
            time: 1_000 + number)
    }

    static func conversation(
        _ ref: ConversationRef = bob, unread: Int = 0, last: Int64? = nil, order: Int64, change: Int64? = nil,
        _ notification: NotificationStatus = .notify
    ) -> Conversation {
        Conversation(
            type: ref.type, id: ref.id, name: ref.id, unread: unread, lastMessage: last.map { message($0, in: ref) },
            order: order, change: change ?? order, notification: notification)
    }

    static func gone(
        _ ref: ConversationRef = bob, change: Int64, clearedThrough: Int64 = 0
    ) -> DeletedConversation {
        DeletedConversation(type: ref.type, id: ref.id, change: change, clearedThrough: clearedThrough)
    }

    static func login(_ user: String = "ada", store: String = "s", cursor: Int64 = 100) -> LoginRequest.Answer {
        LoginRequest.Answer(user: user, store: store, cursor: cursor)
    }

    @Test("CHT-4 new messages do not shift pages, which start at the newest") func pages() async throws {
        let store = try ConversationStore()
        let all = (1...25).map { Self.conversation(.peer("user \($0)"), order: Int64($0)) }
        _ = try await store.take(all, deleted: [], cursor: 25, isLive: false)
        let first = try await store.conversations(count: 10)
        #expect(first.map(\.order) == Array((16...25).reversed()))
        // A conversation of the next page moves to the top of the list.
        _ = try await store.take(
            [Self.conversation(.peer("user 12"), order: 26)], deleted: [], cursor: 26, isLive: true)
        let second = try await store.conversations(before: first.last?.order, count: 10)
        #expect(second.map(\.order) == [15, 14, 13, 11, 10, 9, 8, 7, 6, 5])
        let third = try await store.conversations(before: second.last?.order, count: 10)
        #expect(third.map(\.order) == [4, 3, 2, 1])
        #expect(try await store.conversations(count: 1).first?.id == "user 12")
        #expect(try await store.conversations(count: -1).isEmpty)
    }

    @Test("CHT-5 CHT-7 only changed conversations are reported, and the total excludes muted ones")
    func changes() async throws {
        let store = try ConversationStore()
        let cleo = ConversationRef.group("g")
        let both = [Self.conversation(unread: 2, last: 2, order: 5), Self.conversation(cleo, unread: 3, order: 6)]
        let first = try await store.take(both, deleted: [], cursor: 6, isLive: true)
        #expect(first.added == both && first.updated.isEmpty && first.totalUnread == 5)
        // The same state again, and an older one.
        var older = both[0]
        older.unread = 9
        older.change = 1
        let none = try await store.take([both[0], older], deleted: [], cursor: nil, isLive: true)
        #expect(none.events.isEmpty)
        let muted = Self.conversation(cleo, unread: 4, order: 7, .doNotDisturb)
        let second = try await store.take([muted], deleted: [], cursor: 7, isLive: true)
        #expect(
            second.events == [
                .conversationsChanged(added: [], updated: [muted], deleted: []), .totalUnreadChanged(2),
            ])
        #expect(try await store.totalUnread() == 2)
        let cleared = Self.conversation(last: 2, order: 5, change: 8)
        let third = try await store.take([cleared], deleted: [], cursor: 8, isLive: true)
        #expect(third.totalUnread == 0 && third.updated.map(\.unread) == [0])
    }

    @Test("CHT-8 a deleted conversation leaves the list and returns with a new message", arguments: [true, false])
    func deletes(onThisDeviceOnly: Bool) async throws {
        let store = try ConversationStore()
        _ = try await store.take(
            [Self.conversation(unread: 2, last: 2, order: 5)], deleted: [], cursor: 5, isLive: true)
        let gone =
            if onThisDeviceOnly {
                try await store.hide(Self.bob)
            } else {
                try await store.take([], deleted: [Self.gone(change: 6)], cursor: 6, isLive: true)
            }
        #expect(gone.deleted == [Self.bob] && gone.totalUnread == 0)
        #expect(try await store.conversations().isEmpty)
        #expect(try await store.conversation(Self.bob) == nil)
        // A state without a new message does not restore it on this device.
        if onThisDeviceOnly {
            let still = try await store.take(
                [Self.conversation(unread: 2, last: 2, order: 5, change: 6)], deleted: [], cursor: 6, isLive: true)
            #expect(still.events.isEmpty)
        }
        // Its messages are kept.
        let again = try await store.take(
            [Self.conversation(unread: 3, last: 3, order: 7)], deleted: [], cursor: 7, isLive: true)
        // The relay counts three unread messages: it does not know of a deletion on this device only.
        let unread = onThisDeviceOnly ? 1 : 3
        #expect(again.added.map(\.id) == ["bob"] && again.added.map(\.unread) == [unread])
        #expect(again.updated.isEmpty && again.totalUnread == unread)
        #expect(try await store.read { db in try HistoryTable.exists(db, Self.bob, 2) })
    }

    @Test("CHT-9 another user, another relay's store or an older one empties the store") func begins() async throws {
        let store = try ConversationStore()
        #expect(try await store.begin(Self.login()) == StoreStart(isReset: false, since: 0))
        _ = try await store.take([Self.conversation(order: 5)], deleted: [], cursor: 5, isLive: false)
        let waiting = OutgoingMessage(id: "o", conversation: Self.bob, text: "hi", time: 1)
        try await store.add(waiting, limit: 10)
        #expect(try await store.begin(Self.login()) == StoreStart(isReset: false, since: 5))
        #expect(try await store.begin(Self.login(cursor: 4)) == StoreStart(isReset: true, since: 0))
        #expect(try await store.conversations().isEmpty)
        #expect(try await store.begin(Self.login(store: "other")) == StoreStart(isReset: true, since: 0))
        #expect(try await store.outgoing() == [waiting])
        #expect(try await store.begin(Self.login("bob", store: "other")) == StoreStart(isReset: true, since: 0))
        #expect(try await store.outgoing().isEmpty)
        #expect(try await store.user() == "bob")
    }

    @Test("CHT-9 the queue of unsent messages survives a restart of the program, within its limit") func keeps()
        async throws
    {
        let folder = TemporaryFolder()
        let path = folder.path + "/store.sqlite"
        do {
            let store = try ConversationStore(path: path)
            for number in 1...3 {
                try await store.add(
                    OutgoingMessage(id: "o\(number)", conversation: Self.bob, text: "\(number)", time: 1), limit: 3)
            }
            await #expect(throws: SessionError.self) {
                try await store.add(OutgoingMessage(id: "o4", conversation: Self.bob, text: "4", time: 1), limit: 3)
            }
        }
        let again = try ConversationStore(path: path)
        #expect(try await again.outgoing(in: Self.bob).map(\.id) == ["o1", "o2", "o3"])
        #expect(try await again.nextOutgoing()?.id == "o1")
        _ = try await again.begin(Self.login())
        let first = try #require(try await again.nextOutgoing())
        let sent = try await again.confirm(first, .init(number: 7, time: 9), isLive: true)
        #expect(sent == Message(id: "o1", number: 7, conversation: Self.bob, from: "ada", text: "1", time: 9))
        #expect(try await again.nextOutgoing()?.id == "o2")
        #expect(throws: SessionError.self) { try ConversationStore(path: "/does/not/exist/store.sqlite") }
        try Data("no database".utf8).write(to: URL(filePath: folder.path + "/other"))
        #expect(throws: SessionError.self) { try ConversationStore(path: folder.path + "/other") }
    }

    /// A relay's history of one conversation, with gaps in its message numbers.
    private struct Relay {
        var messages: [Message]

        func answer(_ missing: HistoryTable.Missing, count: Int) -> HistoryRequest.Answer {
            let all: [Message] =
                switch missing {
                case .newest: messages
                case .before(let number): messages.filter { $0.number < number }
                case .after(let number): messages.filter { $0.number > number }
                }
            let page: [Message] =
                switch missing {
                case .newest, .before: Array(all.suffix(count))
                case .after: Array(all.prefix(count))
                }
            return HistoryRequest.Answer(messages: page, hasMore: page.count < all.count)
        }
    }

    private func read(
        _ store: ConversationStore, _ relay: Relay, _ asked: inout Int,
        _ page: (ConversationStore) async throws -> HistoryTable.Stretch
    ) async throws -> HistoryTable.Stretch {
        var stretch = try await page(store)
        while let missing = stretch.missing {
            asked += 1
            try #require(asked < 1_000)
            try await store.take(Self.bob, missing, relay.answer(missing, count: 7))
            stretch = try await page(store)
        }
        return stretch
    }

    @Test(
        "CHT-9 history in both directions is complete and in order, whatever the store holds already",
        arguments: 1...10)
    func history(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try ConversationStore()
        _ = try await store.begin(Self.login())
        var relay = Relay(messages: [])
        var number: Int64 = 0
        func next() -> Message {
            number += .random(in: 1...3, using: &random)
            return Self.message(number)
        }
        for _ in 0..<Int.random(in: 0...60, using: &random) { relay.messages.append(next()) }
        func listed() -> Conversation {
            Conversation(
                type: .peer, id: "bob", name: "bob", unread: 0, lastMessage: relay.messages.last, order: number,
                change: number)
        }
        _ = try await store.take([listed()], deleted: [], cursor: number, isLive: false)
        var asked = 0
        for _ in 0..<40 {
            let count = Int.random(in: 1...12, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                // While connected, a message is followed by its two events in either order.
                let message = next()
                relay.messages.append(message)
                let isFirst = Bool.random(using: &random)
                if isFirst { try await store.take(message, isLive: true) }
                _ = try await store.take([listed()], deleted: [], cursor: number, isLive: true)
                if !isFirst { try await store.take(message, isLive: true) }
            case 1:
                // Offline, while the relay receives up to ten messages.
                for _ in 0..<Int.random(in: 0...10, using: &random) { relay.messages.append(next()) }
                _ = try await store.take([listed()], deleted: [], cursor: number, isLive: false)
            case 2:
                let stretch = try await read(store, relay, &asked) {
                    try await $0.stretch(of: Self.bob, before: nil, count: count)
                }
                #expect(stretch.messages == Array(relay.messages.suffix(count)))
                #expect(stretch.hasMore == (relay.messages.count > count))
            case 3:
                guard let anchor = relay.messages.randomElement(using: &random)?.number,
                    try await store.has(anchor, in: Self.bob)
                else { continue }
                let stretch = try await read(store, relay, &asked) {
                    try await $0.stretch(of: Self.bob, before: anchor, count: count)
                }
                let wanted = relay.messages.filter { $0.number < anchor }
                #expect(stretch.messages == Array(wanted.suffix(count)))
                if wanted.count > count { #expect(stretch.hasMore) }
            default:
                guard let anchor = relay.messages.randomElement(using: &random)?.number,
                    try await store.has(anchor, in: Self.bob)
                else { continue }
                let stretch = try await read(store, relay, &asked) {
                    try await $0.stretch(of: Self.bob, after: anchor, count: count)
                }
                let wanted = relay.messages.filter { $0.number > anchor }
                #expect(stretch.messages == Array(wanted.prefix(count)))
                if wanted.count > count { #expect(stretch.hasMore) }
            }
        }
        // Once the whole history has been read, the store serves it without requests.
        let whole = try await read(store, relay, &asked) { try await $0.stretch(of: Self.bob, before: nil, count: 500) }
        #expect(whole.messages == relay.messages && !whole.hasMore)
        let before = asked
        _ = try await read(store, relay, &asked) { try await $0.stretch(of: Self.bob, before: nil, count: 500) }
        #expect(asked == before)
    }

    @Test("CHT-8 deleted messages are gone, and no earlier ones are requested") func deletesMessages() async throws {
        let store = try ConversationStore()
        _ = try await store.begin(Self.login())
        _ = try await store.take(
            [Self.conversation(unread: 1, last: 2, order: 5)], deleted: [], cursor: 5, isLive: true)
        var cleared = Self.conversation(order: 5, change: 6)
        cleared.clearedThrough = 2
        let change = try await store.take([cleared], deleted: [], cursor: 6, isLive: true)
        #expect(change.updated == [cleared])
        let empty = try await store.stretch(of: Self.bob, before: nil, count: 10)
        #expect(empty.messages.isEmpty && !empty.hasMore && empty.missing == nil)
        try await store.take(Self.message(6), isLive: true)
        let one = try await store.stretch(of: Self.bob, before: nil, count: 10)
        #expect(one.messages.map(\.number) == [6] && one.missing == nil)
    }

    @Test("messages beyond the limit leave the store, and are requested again") func trims() async throws {
        let store = try ConversationStore()
        _ = try await store.begin(Self.login())
        _ = try await store.take([Self.conversation(last: 50, order: 50)], deleted: [], cursor: 50, isLive: false)
        let relay = Relay(messages: (1...50).map { Self.message($0) })
        var asked = 0
        _ = try await read(store, relay, &asked) { try await $0.stretch(of: Self.bob, before: nil, count: 50) }
        try await store.write { db in try HistoryTable.trim(db, limit: 20) }
        let kept = try await store.stretch(of: Self.bob, before: nil, count: 50)
        #expect(kept.messages.map(\.number) == Array(31...50) && kept.missing == .before(31))
    }

    /// A synchronised store that holds messages 1 to 5 of one conversation.
    private static func filled() async throws -> ConversationStore {
        let store = try ConversationStore()
        _ = try await store.begin(login())
        _ = try await store.take([conversation(unread: 5, last: 5, order: 5)], deleted: [], cursor: 5, isLive: false)
        try await store.take(
            bob, .newest, HistoryRequest.Answer(messages: (1...5).map { message($0) }, hasMore: false))
        return store
    }

    @Test("CHT-8 messages that another device deleted leave this one and stay away, also after a new message")
    func clearedElsewhere() async throws {
        let store = try await Self.filled()
        var state = Self.conversation(unread: 1, last: 6, order: 6, change: 7)
        state.clearedThrough = 5
        _ = try await store.take([state], deleted: [], cursor: 7, isLive: false)
        #expect(try await store.stretch(of: Self.bob, before: nil, count: 9).messages.allSatisfy { $0.number > 5 })
        // An answer that the relay sent before the deletion, and a late confirmation of a message.
        try await store.take(
            Self.bob, .before(6), HistoryRequest.Answer(messages: [Self.message(4), Self.message(5)], hasMore: true))
        try await store.take(Self.message(3), isLive: true)
        #expect(try await store.nearest(of: Self.bob, .after(0), count: 9).map(\.number) == [6])
        #expect(try await store.conversation(Self.bob)?.clearedThrough == 5)
    }

    @Test("CHT-8 messages of a conversation outside the list are deleted as well") func clearedAndDeleted()
        async throws
    {
        let store = try await Self.filled()
        let change = try await store.take([], deleted: [Self.gone(change: 6)], cursor: 6, isLive: true)
        #expect(change.deleted == [Self.bob])
        #expect(try await store.nearest(of: Self.bob, .after(0), count: 9).count == 5)
        let again = try await store.take(
            [], deleted: [Self.gone(change: 7, clearedThrough: 5)], cursor: 7, isLive: true)
        #expect(again.events.isEmpty)
        #expect(try await store.nearest(of: Self.bob, .after(0), count: 9).isEmpty)
    }

    @Test("CHT-5 the newest state of a conversation applies, in any order of arrival, listed or not")
    func newestState() async throws {
        let store = try await Self.filled()
        let back = Self.conversation(unread: 6, last: 6, order: 6, change: 11)
        _ = try await store.take([back], deleted: [], cursor: nil, isLive: true)
        // An answer to an earlier request says that the conversation was deleted.
        let older = try await store.take([], deleted: [Self.gone(change: 10)], cursor: 10, isLive: false)
        #expect(older.events.isEmpty)
        #expect(try await store.conversation(Self.bob) == back)
        // The reverse order, also for an unknown conversation.
        for ref in [Self.bob, .peer("cleo")] {
            _ = try await store.take([], deleted: [Self.gone(ref, change: 13)], cursor: nil, isLive: true)
            let late = try await store.take(
                [Self.conversation(ref, unread: 1, order: 12)], deleted: [], cursor: 12, isLive: false)
            #expect(late.events.isEmpty)
            #expect(try await store.conversation(ref) == nil)
        }
        let listed = try await store.take(
            [Self.conversation(.peer("cleo"), unread: 1, order: 14)], deleted: [], cursor: 14, isLive: true)
        #expect(listed.added.map(\.id) == ["cleo"])
    }

    @Test("CHT-9 messages that the relay has discarded are not shown either") func expired()
        async throws
    {
        let store = try await Self.filled()
        try await store.take(
            Self.bob, .before(5), HistoryRequest.Answer(messages: [Self.message(4)], hasMore: false))
        #expect(try await store.nearest(of: Self.bob, .after(0), count: 9).map(\.number) == [4, 5])
        try await store.take(
            Self.bob, .newest, HistoryRequest.Answer(messages: [Self.message(5)], hasMore: false))
        let rest = try await store.stretch(of: Self.bob, before: nil, count: 9)
        #expect(rest.messages.map(\.number) == [5] && !rest.hasMore)
    }

    @Test("old messages are removed as new ones arrive, not only on opening") func trimsWhileOpen() async throws {
        let store = try ConversationStore(messageLimit: 20, trimInterval: 8)
        _ = try await store.begin(Self.login())
        for number in 1...100 { try await store.take(Self.message(Int64(number)), isLive: true) }
        let oldest = try await store.nearest(of: Self.bob, .after(0), count: 1).map(\.number)
        let newest = try await store.nearest(of: Self.bob, .newest, count: 1).map(\.number)
        // The last trim, after message 96, kept the newest 20.
        #expect(oldest == [77] && newest == [100])
    }

    @Test("CHT-9 an empty page after an unknown message does not mark the stored messages as the newest")
    func nothingAfter()
        async throws
    {
        let store = try await Self.filled()
        // Offline, while more messages arrived than the store holds.
        _ = try await store.take([Self.conversation(last: 50, order: 50)], deleted: [], cursor: 50, isLive: false)
        try await store.take(Self.bob, .after(100), HistoryRequest.Answer(messages: [], hasMore: false))
        #expect(try await store.stretch(of: Self.bob, before: nil, count: 9).missing == .newest)
        try await store.take(Self.bob, .after(50), HistoryRequest.Answer(messages: [], hasMore: false))
        #expect(try await store.stretch(of: Self.bob, before: nil, count: 1).missing == nil)
    }

    @Test("texts are stored unchanged, including U+0000") func texts() async throws {
        let folder = TemporaryFolder()
        let text = "a\u{0}b\u{0}\u{1F600}e\u{301}"
        var message = Self.message(1)
        message.text = text
        do {
            let store = try ConversationStore(path: folder.path + "/store.sqlite")
            var listed = Self.conversation(order: 1)
            listed.lastMessage = message
            _ = try await store.take([listed], deleted: [], cursor: 1, isLive: true)
            try await store.take(message, isLive: true)
            try await store.add(OutgoingMessage(id: "o", conversation: Self.bob, text: text, time: 1), limit: 3)
        }
        let again = try ConversationStore(path: folder.path + "/store.sqlite")
        #expect(try await again.nearest(of: Self.bob, .newest, count: 1).map(\.text) == [text])
        #expect(try await again.conversation(Self.bob)?.lastMessage?.text == text)
        #expect(try await again.nextOutgoing()?.text == text)
    }
}

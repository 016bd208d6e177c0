import Signaling
import Testing

@testable import MillraceClient

@Suite("Conversations that are deleted on one device") struct HiddenConversationTests {
    @Test("CHT-8 after a deletion on this device only, unread messages count from there, even if cleared elsewhere")
    func unreadAfterHiding() async throws {
        let store = try ConversationStore()
        func take(_ unread: Int, _ order: Int64) async throws -> StoreChange {
            let told = ConversationStoreTests.conversation(unread: unread, last: order, order: order)
            return try await store.take([told], deleted: [], cursor: order, isLive: true)
        }
        _ = try await take(2, 5)
        _ = try await store.hide(ConversationStoreTests.bob)
        #expect(try await take(4, 7).totalUnread == 2)
        // Deleted here again, with four unread messages at the relay.
        #expect(try await store.hide(ConversationStoreTests.bob).totalUnread == 0)
        #expect(try await take(5, 8).added.map(\.unread) == [1])
        #expect(try await take(6, 9).updated.map(\.unread) == [2])
        // Another device has read all messages.
        #expect(try await take(0, 10).totalUnread == 0)
        #expect(try await take(1, 11).updated.map(\.unread) == [1])
        #expect(try await store.totalUnread() == 1)
    }
}

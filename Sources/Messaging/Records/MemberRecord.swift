/// A user of a conversation, with its entry.
package struct MemberRecord: Hashable, Sendable {
    package var user: UserRecord
    package var entry: EntryRecord

    package init(user: UserRecord, entry: EntryRecord) {
        self.user = user
        self.entry = entry
    }
}

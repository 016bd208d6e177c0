/// Store operations within one transaction, which commits completely or not at all. Errors are specific to the store.
package protocol MessageTransaction {
    /// Id of the store. A new store has a new id.
    var storeID: String { get }

    // MARK: users
    func user(_ key: UserKey) throws -> UserRecord?
    func user(id: UserRecord.ID) throws -> UserRecord?
    /// - Parameter now: milliseconds since 1970.
    func insertUser(_ key: UserKey, now: Int64) throws -> UserRecord
    func update(_ user: UserRecord) throws
    /// Returns whether a one-to-one conversation includes the user.
    func isNamed(_ user: UserRecord.ID) throws -> Bool
    func removeUser(_ user: UserRecord.ID) throws
    /// Returns the number of groups that count as created by the user.
    func groups(madeBy user: UserRecord.ID) throws -> Int
    /// Clears the creator of a user's groups, so that they no longer count.
    func disown(groupsOf user: UserRecord.ID) throws

    // MARK: conversations
    func thread(_ a: UserRecord.ID, _ b: UserRecord.ID) throws -> ThreadRecord?
    func thread(group: String) throws -> ThreadRecord?
    func insertThread(_ kind: ThreadRecord.Kind) throws -> ThreadRecord
    func update(_ thread: ThreadRecord) throws
    func entry(_ user: UserRecord.ID, _ thread: ThreadRecord.ID) throws -> EntryRecord?
    /// Inserts or replaces an entry.
    func save(_ entry: EntryRecord) throws
    /// Returns current members in order of joining.
    func members(of thread: ThreadRecord.ID) throws -> [MemberRecord]
    /// Returns current members whose `readThrough` is less than `number`, in any order.
    func members(of thread: ThreadRecord.ID, whoHaveNotRead number: Int64) throws -> [MemberRecord]
    /// Returns entries of former members who never acted themselves and are only in dismissed groups: no other
    /// conversation includes them.
    func strangers(from thread: ThreadRecord.ID, limit: Int) throws -> [EntryRecord]
    /// Returns rows of a user's list with an order below `order`, newest first.
    func list(of user: UserRecord.ID, below order: Int64, limit: Int) throws -> [ListedRecord]
    /// Returns rows with a change above `change`, oldest change first, including conversations that left the list.
    func changes(of user: UserRecord.ID, above change: Int64, limit: Int) throws -> [ListedRecord]
    func listed(_ entry: EntryRecord) throws -> ListedRecord?

    // MARK: messages
    func message(sender: UserRecord.ID, id: String) throws -> MessageRecord?
    func insert(_ message: MessageRecord) throws
    /// Returns messages with numbers between `above` and `below`, both exclusive: the newest or the oldest `limit`, in
    /// that order.
    func messages(
        of thread: ThreadRecord.ID, above: Int64, below: Int64, isNewestFirst: Bool, limit: Int
    ) throws -> [StoredMessage]
    func remove(_ messages: [MessageRecord]) throws
    func receipt(sender: UserRecord.ID, id: String) throws -> ReceiptRecord?
    /// Inserts or replaces a receipt.
    func save(_ receipt: ReceiptRecord) throws
    /// Removes at most `limit` receipts that are older than `time`.
    /// - Returns: number of removed receipts.
    func removeReceipts(olderThan time: Int64, limit: Int) throws -> Int
    /// Removes at most `limit` receipts of one sender.
    /// - Returns: number of removed receipts.
    func removeReceipts(of sender: UserRecord.ID, limit: Int) throws -> Int

    // MARK: removal
    /// Returns a thread whose oldest message is older than `time`.
    func thread(olderThan time: Int64) throws -> ThreadRecord?
    func threadToPurge() throws -> ThreadRecord?
    func thread(id: ThreadRecord.ID) throws -> ThreadRecord?
    func messages(by sender: UserRecord.ID, limit: Int) throws -> [MessageRecord]
    /// Returns entries of a user, whether it is a member or not.
    func entries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord]
    /// Returns entries of a user, newest change first.
    func newestEntries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord]
    func remove(_ entry: EntryRecord) throws
    /// Returns a group that was dismissed before `time` and still has `endedAt` set.
    func group(endedBefore time: Int64) throws -> ThreadRecord?
    /// Removes a thread that has neither messages nor entries that are still needed. A group must also be dismissed,
    /// purged and cleared away.
    func removeIfForsaken(_ thread: ThreadRecord) throws
}

/// What the rules need of a store, within one transaction: all of it is kept, or nothing. Errors are the store's own.
package protocol MessageTransaction {
    /// Tells this store from others; a new one gets a new id.
    var storeID: String { get }

    // MARK: users
    func user(_ key: UserKey) throws -> UserRecord?
    func user(id: UserRecord.ID) throws -> UserRecord?
    /// - Parameter now: milliseconds since 1970.
    func insertUser(_ key: UserKey, now: Int64) throws -> UserRecord
    func update(_ user: UserRecord) throws
    /// Whether a conversation of two has the user in it.
    func isNamed(_ user: UserRecord.ID) throws -> Bool
    func removeUser(_ user: UserRecord.ID) throws
    /// Groups that count as made by the user.
    func groups(madeBy user: UserRecord.ID) throws -> Int
    /// They do not count any more.
    func disown(groupsOf user: UserRecord.ID) throws

    // MARK: conversations
    func thread(_ a: UserRecord.ID, _ b: UserRecord.ID) throws -> ThreadRecord?
    func thread(group: String) throws -> ThreadRecord?
    func insertThread(_ kind: ThreadRecord.Kind) throws -> ThreadRecord
    func update(_ thread: ThreadRecord) throws
    func entry(_ user: UserRecord.ID, _ thread: ThreadRecord.ID) throws -> EntryRecord?
    /// New, or in place of the one that is there.
    func save(_ entry: EntryRecord) throws
    /// Those who are members, in order of joining.
    func members(of thread: ThreadRecord.ID) throws -> [MemberRecord]
    /// Those among them who have not read message `number`, in any order.
    func members(of thread: ThreadRecord.ID, whoHaveNotRead number: Int64) throws -> [MemberRecord]
    /// Those who were members of a group, did nothing themselves ever, and are in dismissed groups alone: no other conversation has them or
    /// names them.
    func strangers(from thread: ThreadRecord.ID, limit: Int) throws -> [EntryRecord]
    /// Rows of a user's list with an order below `order`, newest first.
    func list(of user: UserRecord.ID, below order: Int64, limit: Int) throws -> [ListedRecord]
    /// Rows with a change above `change`, oldest change first; those off the list are among them.
    func changes(of user: UserRecord.ID, above change: Int64, limit: Int) throws -> [ListedRecord]
    func listed(_ entry: EntryRecord) throws -> ListedRecord?

    // MARK: messages
    func message(sender: UserRecord.ID, id: String) throws -> MessageRecord?
    func insert(_ message: MessageRecord) throws
    /// Messages of a thread with numbers in between, both excluded; the newest `limit` of them or the oldest, in that order.
    func messages(
        of thread: ThreadRecord.ID, above: Int64, below: Int64, isNewestFirst: Bool, limit: Int
    ) throws -> [StoredMessage]
    func remove(_ messages: [MessageRecord]) throws
    func receipt(sender: UserRecord.ID, id: String) throws -> ReceiptRecord?
    /// New, or in place of the one that is there.
    func save(_ receipt: ReceiptRecord) throws
    /// Removes some that are older than `time`, at most `limit`.
    /// - Returns: how many they were.
    func removeReceipts(olderThan time: Int64, limit: Int) throws -> Int
    /// The same of one sender.
    func removeReceipts(of sender: UserRecord.ID, limit: Int) throws -> Int

    // MARK: removal
    /// A thread whose oldest message is older than `time`, and one with messages to purge.
    func thread(olderThan time: Int64) throws -> ThreadRecord?
    func threadToPurge() throws -> ThreadRecord?
    func thread(id: ThreadRecord.ID) throws -> ThreadRecord?
    func messages(by sender: UserRecord.ID, limit: Int) throws -> [MessageRecord]
    /// Entries of a user, members or not.
    func entries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord]
    /// Those that changed last, the newest change first.
    func newestEntries(of user: UserRecord.ID, limit: Int) throws -> [EntryRecord]
    func remove(_ entry: EntryRecord) throws
    /// A group that was dismissed before `time` and is not cleared away.
    func group(endedBefore time: Int64) throws -> ThreadRecord?
    /// A thread that nobody has an entry of any more is gone, where it is one of two or a group that was cleared away.
    func removeIfForsaken(_ thread: ThreadRecord) throws
}

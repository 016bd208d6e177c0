package import Messaging

/// A simple message store in dictionaries, without rollback.
package final class MemoryMessageStore: MessageTransaction {
    package let storeID = "memory"
    private var users: [UserRecord.ID: UserRecord] = [:]
    private var threads: [ThreadRecord.ID: ThreadRecord] = [:]
    private var entries: [EntryKey: EntryRecord] = [:]
    private var messages: [ThreadRecord.ID: [MessageRecord]] = [:]
    private var receipts: [ReceiptKey: ReceiptRecord] = [:]
    private var lastID: Int64 = 0

    private struct ReceiptKey: Hashable {
        var sender: UserRecord.ID
        var id: String
    }

    private struct EntryKey: Hashable {
        var user: UserRecord.ID
        var thread: ThreadRecord.ID
    }

    package init() {}

    private func newID() -> Int64 {
        lastID += 1
        return lastID
    }

    package var messageCount: Int { messages.values.reduce(0) { $0 + $1.count } }
    package var userCount: Int { users.count }
    package var threadCount: Int { threads.count }
    package var entryCount: Int { entries.count }
    package var receiptCount: Int { receipts.count }

    package func user(_ key: UserKey) -> UserRecord? { users.values.first { $0.key == key } }
    package func user(id: UserRecord.ID) -> UserRecord? { users[id] }
    package func insertUser(_ key: UserKey, now: Int64) -> UserRecord {
        let user = UserRecord(id: newID(), key: key, created: now)
        users[user.id] = user
        return user
    }
    package func update(_ user: UserRecord) { users[user.id] = user }
    package func isNamed(_ user: UserRecord.ID) -> Bool {
        threads.values.contains { $0.peer(of: user) != nil && names($0, user) }
    }
    private func names(_ thread: ThreadRecord, _ user: UserRecord.ID) -> Bool {
        guard case .peers(let a, let b) = thread.kind else { return false }
        return a == user || b == user
    }
    package func removeUser(_ user: UserRecord.ID) { users[user] = nil }

    package func groups(madeBy user: UserRecord.ID) -> Int { threads.values.count { $0.creator == user } }
    package func disown(groupsOf user: UserRecord.ID) {
        for (id, thread) in threads where thread.creator == user { threads[id]?.creator = 0 }
    }

    package func thread(_ a: UserRecord.ID, _ b: UserRecord.ID) -> ThreadRecord? {
        threads.values.first { $0.kind == ThreadRecord.peers(a, b) }
    }
    package func thread(group: String) -> ThreadRecord? {
        threads.values.first { if case .group(group, _, _) = $0.kind { true } else { false } }
    }
    package func thread(id: ThreadRecord.ID) -> ThreadRecord? { threads[id] }
    package func insertThread(_ kind: ThreadRecord.Kind) -> ThreadRecord {
        let thread = ThreadRecord(id: newID(), kind: kind)
        threads[thread.id] = thread
        return thread
    }
    package func update(_ thread: ThreadRecord) { threads[thread.id] = thread }
    package func thread(olderThan time: Int64) -> ThreadRecord? {
        threads.values.first { ($0.firstTime ?? .max) < time }
    }
    package func threadToPurge() -> ThreadRecord? { threads.values.first { $0.purgeThrough > 0 } }
    package func group(endedBefore time: Int64) -> ThreadRecord? {
        threads.values.first { $0.endedAt > 0 && $0.endedAt < time }
    }
    package func removeIfForsaken(_ forsaken: ThreadRecord) {
        guard let thread = threads[forsaken.id], messages[thread.id, default: []].isEmpty,
            !entries.keys.contains(where: { $0.thread == thread.id })
        else { return }
        if case .group = thread.kind {
            guard thread.isDismissed, thread.endedAt == 0, thread.purgeThrough == 0 else { return }
        }
        threads[thread.id] = nil
    }

    package func entry(_ user: UserRecord.ID, _ thread: ThreadRecord.ID) -> EntryRecord? {
        entries[EntryKey(user: user, thread: thread)]
    }
    package func save(_ entry: EntryRecord) { entries[EntryKey(user: entry.user, thread: entry.thread)] = entry }
    package func remove(_ entry: EntryRecord) { entries[EntryKey(user: entry.user, thread: entry.thread)] = nil }
    package func entries(of user: UserRecord.ID, limit: Int) -> [EntryRecord] {
        Array(entries.values.filter { $0.user == user }.sorted { $0.thread < $1.thread }.prefix(limit))
    }
    package func members(of thread: ThreadRecord.ID) -> [MemberRecord] {
        entries.values.filter { $0.thread == thread && $0.joined > 0 }
            .sorted { ($0.joined, $0.user) < ($1.joined, $1.user) }
            .compactMap { entry in users[entry.user].map { MemberRecord(user: $0, entry: entry) } }
    }

    package func members(of thread: ThreadRecord.ID, whoHaveNotRead number: Int64) -> [MemberRecord] {
        members(of: thread).filter { $0.entry.readThrough < number }
    }
    package func strangers(from thread: ThreadRecord.ID, limit: Int) -> [EntryRecord] {
        let left = entries.values.filter { $0.thread == thread && $0.joined == 0 && isStranger($0.user) }
        return Array(left.sorted { $0.user < $1.user }.prefix(limit))
    }
    private func isStranger(_ user: UserRecord.ID) -> Bool {
        guard users[user]?.hasActed == false, !isNamed(user) else { return false }
        return entries.values.allSatisfy { $0.user != user || threads[$0.thread]?.isDismissed == true }
    }
    package func newestEntries(of user: UserRecord.ID, limit: Int) -> [EntryRecord] {
        Array(entries.values.filter { $0.user == user }.sorted { $0.change > $1.change }.prefix(limit))
    }

    package func list(of user: UserRecord.ID, below order: Int64, limit: Int) -> [ListedRecord] {
        let rows = entries.values.filter { $0.user == user && $0.isListed && $0.order < order }
        return rows.sorted { $0.order > $1.order }.prefix(limit).compactMap(listed)
    }
    package func changes(of user: UserRecord.ID, above change: Int64, limit: Int) -> [ListedRecord] {
        let rows = entries.values.filter { $0.user == user && $0.change > change }
        return rows.sorted { $0.change < $1.change }.prefix(limit).compactMap(listed)
    }
    package func listed(_ entry: EntryRecord) -> ListedRecord? {
        guard let thread = threads[entry.thread] else { return nil }
        let floor = max(entry.clearedThrough, thread.purgeThrough)
        let last = messages(of: thread.id, above: floor, below: .max, isNewestFirst: true, limit: 1).first
        let peer = thread.peer(of: entry.user).flatMap { users[$0] }
        return ListedRecord(entry: entry, thread: thread, peer: peer.map { ($0.key.id, $0.name) }, last: last)
    }

    package func message(sender: UserRecord.ID, id: String) -> MessageRecord? {
        messages.values.joined().first { $0.sender == sender && $0.id == id }
    }
    package func insert(_ message: MessageRecord) { messages[message.thread, default: []].append(message) }
    package func messages(
        of thread: ThreadRecord.ID, above: Int64, below: Int64, isNewestFirst: Bool, limit: Int
    ) -> [StoredMessage] {
        let rows = messages[thread, default: []].filter { $0.number > above && $0.number < below }
        return (isNewestFirst ? rows.reversed() : rows).prefix(limit).map {
            StoredMessage(record: $0, from: users[$0.sender]?.key.id ?? "")
        }
    }
    package func messages(by sender: UserRecord.ID, limit: Int) -> [MessageRecord] {
        Array(messages.values.joined().filter { $0.sender == sender }.prefix(limit))
    }
    package func remove(_ removed: [MessageRecord]) {
        for message in removed { messages[message.thread]?.removeAll { $0.number == message.number } }
    }

    package func receipt(sender: UserRecord.ID, id: String) -> ReceiptRecord? {
        receipts[ReceiptKey(sender: sender, id: id)]
    }
    package func save(_ receipt: ReceiptRecord) {
        receipts[ReceiptKey(sender: receipt.sender, id: receipt.id)] = receipt
    }
    package func removeReceipts(olderThan time: Int64, limit: Int) -> Int {
        removeReceipts(limit) { $0.removed < time }
    }
    package func removeReceipts(of sender: UserRecord.ID, limit: Int) -> Int {
        removeReceipts(limit) { $0.sender == sender }
    }
    private func removeReceipts(_ limit: Int, where isMeant: (ReceiptRecord) -> Bool) -> Int {
        let removed = receipts.filter { isMeant($0.value) }.keys.prefix(limit)
        for key in removed { receipts[key] = nil }
        return removed.count
    }
}

import Signaling

extension Messaging {
    // MARK: conversion to protocol types

    func ref(_ row: ListedRecord) -> ConversationRef {
        switch row.thread.kind {
        case .peers: .peer(row.peer?.id ?? "")
        case .group(let id, _, _): .group(id)
        }
    }

    func conversation(_ row: ListedRecord) -> Conversation {
        let ref = ref(row)
        let name: String
        switch row.thread.kind {
        case .peers: name = row.peer.map { $0.name.isEmpty ? $0.id : $0.name } ?? ""
        case .group(_, let title, _): name = title
        }
        return Conversation(
            type: ref.type, id: ref.id, name: name, unread: row.entry.unread,
            lastMessage: row.last.map { message($0, in: ref) }, order: row.entry.order, change: row.entry.change,
            notification: row.entry.isMuted ? .doNotDisturb : .notify, clearedThrough: row.entry.clearedThrough)
    }

    func deleted(_ row: ListedRecord) -> DeletedConversation {
        let ref = ref(row)
        return DeletedConversation(
            type: ref.type, id: ref.id, change: row.entry.change, clearedThrough: row.entry.clearedThrough)
    }

    func message(_ stored: StoredMessage, in ref: ConversationRef) -> Message {
        Message(
            id: stored.record.id, number: stored.record.number, conversation: ref, from: stored.from,
            text: stored.record.text, time: stored.record.time)
    }

    // MARK: reading

    func conversations(
        _ request: ConversationsRequest, of key: UserKey
    ) throws -> ConversationsRequest.Answer {
        try check(count: request.count)
        guard let user = try store.user(key) else { return .init(conversations: [], totalUnread: 0, hasMore: false) }
        let rows = try store.list(of: user.id, below: request.before ?? .max, limit: request.count + 1)
        let page = page(rows, count: request.count, bytes: bytes)
        return .init(
            conversations: page.map(conversation), totalUnread: user.totalUnread, hasMore: rows.count > page.count)
    }

    func changes(
        _ request: ConversationChangesRequest, of key: UserKey
    ) throws -> ConversationChangesRequest.Answer {
        try check(count: request.count)
        guard let user = try store.user(key) else {
            return .init(
                conversations: [], deleted: [], totalUnread: 0, store: store.storeID, cursor: 0, hasMore: false)
        }
        let rows = try store.changes(of: user.id, above: request.since, limit: request.count + 1)
        let told = page(rows, count: request.count, bytes: bytes)
        let hasMore = rows.count > told.count
        return .init(
            conversations: told.filter(\.entry.isListed).map(conversation),
            deleted: told.filter { !$0.entry.isListed }.map(deleted), totalUnread: user.totalUnread,
            store: storeID(of: user), cursor: hasMore ? told.last?.entry.change ?? user.tick : user.tick,
            hasMore: hasMore)
    }

    func history(_ request: HistoryRequest, of key: UserKey) throws -> HistoryRequest.Answer {
        try check(count: request.count)
        guard request.before == nil || request.after == nil else {
            throw SignalingError(.invalidField, "before and after exclude each other", field: "after")
        }
        let (member, thread) = try membership(in: request.conversation, of: key)
        let floor = max(member.entry.clearedThrough, thread.purgeThrough, request.after ?? 0)
        let rows = try store.messages(
            of: thread.id, above: floor, below: request.before ?? .max, isNewestFirst: request.after == nil,
            limit: request.count + 1)
        let page = page(rows, count: request.count) { $0.record.text.utf8.count }
            .map { message($0, in: request.conversation) }
        return .init(messages: request.after == nil ? page.reversed() : page, hasMore: rows.count > page.count)
    }

    /// Size of the row's last message.
    private func bytes(_ row: ListedRecord) -> Int { row.last?.record.text.utf8.count ?? 0 }

    /// Returns at most `count` rows. Ends early after the row whose text reaches `ConversationLimits.pageBytes`.
    private func page<Item>(_ rows: [Item], count: Int, bytes: (Item) -> Int) -> ArraySlice<Item> {
        var total = 0
        var end = 0
        while end < min(count, rows.count), total < ConversationLimits.pageBytes {
            total += bytes(rows[end])
            end += 1
        }
        return rows[..<end]
    }

    private func check(count: Int) throws {
        guard ConversationLimits.pageSize.contains(count) else {
            throw SignalingError(.invalidField, "a page has 1 to 100 items", field: "count")
        }
    }
}

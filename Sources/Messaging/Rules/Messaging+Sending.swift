import Signaling

extension Messaging {
    /// Stores a message once and sends it to all users of the conversation (CHT-2, CHT-9).
    mutating func send(_ request: SendMessageRequest, by key: UserKey) throws -> SendMessageRequest.Answer {
        if let objection = request.objection { throw objection }
        if request.conversation.type == .peer {
            if let objection = UserRule.objection(toID: request.conversation.id) {
                throw SignalingError(.invalidField, objection, field: "conversation.id")
            }
            guard UserKey(app: key.app, id: request.conversation.id) != key else {
                throw SignalingError(.invalidField, "a user cannot write to itself", field: "conversation.id")
            }
        }
        let sender = try acting(key)
        if let stored = try store.message(sender: sender.id, id: request.message) {
            guard stored.text.utf8.elementsEqual(request.text.utf8) else { throw idIsTaken }
            return try repeated(request, in: stored.thread, by: sender, .init(number: stored.number, time: stored.time))
        }
        if let gone = try store.receipt(sender: sender.id, id: request.message) {
            return try repeated(request, in: gone.thread, by: sender, .init(number: gone.number, time: gone.time))
        }
        var (thread, members) = try audience(of: request.conversation, sender: sender)
        thread.lastNumber += 1
        thread.lastTime = max(now, thread.lastTime)
        thread.firstTime = thread.firstTime ?? thread.lastTime
        let record = MessageRecord(
            thread: thread.id, number: thread.lastNumber, sender: sender.id, id: request.message, text: request.text,
            time: thread.lastTime)
        try store.insert(record)
        try store.update(thread)
        announce(record, from: sender, to: members, in: thread)
        for member in members { try receive(record, from: sender, member, among: members, in: thread) }
        return .init(number: record.number, time: record.time)
    }

    private var idIsTaken: SignalingError {
        SignalingError(.invalidField, "the id is that of another message", field: "message")
    }

    /// Answers a repetition by a client that missed the first answer.
    private func repeated(
        _ request: SendMessageRequest, in stored: ThreadRecord.ID, by sender: UserRecord,
        _ answer: SendMessageRequest.Answer
    ) throws -> SendMessageRequest.Answer {
        let thread: ThreadRecord?
        switch request.conversation.type {
        case .peer:
            let peer = try store.user(UserKey(app: sender.key.app, id: request.conversation.id))
            thread = try peer.flatMap { try store.thread(sender.id, $0.id) }
        case .group: thread = try store.thread(group: request.conversation.id)
        }
        guard thread?.id == stored else { throw idIsTaken }
        return answer
    }

    /// Returns the conversation with its members. A one-to-one conversation is created by its first message.
    private func audience(
        of ref: ConversationRef, sender: UserRecord
    ) throws -> (ThreadRecord, [MemberRecord]) {
        guard ref.type == .peer else {
            guard let thread = try store.thread(group: ref.id) else { throw SignalingError(.unknownGroup) }
            let members = try store.members(of: thread.id)
            guard members.contains(where: { $0.user.id == sender.id }) else { throw SignalingError(.unknownGroup) }
            return (thread, members)
        }
        let peer = try made(UserKey(app: sender.key.app, id: ref.id))
        let thread = try store.thread(sender.id, peer.id) ?? store.insertThread(ThreadRecord.peers(sender.id, peer.id))
        let members = try [sender, peer].map { user in
            var entry = try store.entry(user.id, thread.id) ?? EntryRecord(user: user.id, thread: thread.id)
            // The entry is also new if the user was removed and has returned.
            if entry.joined == 0 {
                entry.joined = 1
                entry.clearedThrough = thread.lastNumber
                entry.readThrough = thread.lastNumber
            }
            return MemberRecord(user: user, entry: entry)
        }
        return (thread, members)
    }

    private mutating func announce(
        _ record: MessageRecord, from sender: UserRecord, to members: [MemberRecord], in thread: ThreadRecord
    ) {
        let stored = StoredMessage(record: record, from: sender.key.id)
        func tell(_ users: [MemberRecord], _ ref: ConversationRef) {
            let message = self.message(stored, in: ref)
            let ids = users.map(\.user.key.id)
            deliveries.append(
                MessageDelivery(
                    users: ids, event: .messageReceived(MessageReceived(message: message)), sparesOrigin: true))
            let called = users.filter { !$0.entry.isMuted && $0.user.id != sender.id }.map(\.user.key.id)
            guard !called.isEmpty else { return }
            let notification = MessageNotification(conversation: ref, message: message)
            deliveries.append(MessageDelivery(users: called, event: .notification(notification)))
        }
        switch thread.kind {
        case .group(let id, _, _): tell(members, .group(id))
        case .peers:
            for member in members {
                guard let other = members.first(where: { $0.user.id != member.user.id }) else { continue }
                tell([member], .peer(other.user.key.id))
            }
        }
    }

    private mutating func receive(
        _ record: MessageRecord, from sender: UserRecord, _ receiver: MemberRecord, among members: [MemberRecord],
        in thread: ThreadRecord
    ) throws {
        var member = receiver
        let counted = member.entry.counted
        member.entry.isListed = true
        if member.user.id != sender.id { member.entry.unread += 1 }
        member.entry.order = max(member.user.tick + 1, now)
        let other = thread.peer(of: member.user.id).flatMap { id in members.first { $0.user.id == id }?.user }
        try commit(&member, counted: counted) { entry in
            ListedRecord(
                entry: entry, thread: thread, peer: other.map { ($0.key.id, $0.name) },
                last: StoredMessage(record: record, from: sender.key.id))
        }
    }
}

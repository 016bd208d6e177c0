package import Messaging
package import Signaling

/// Reference model of conversations without regard to cost: each message has the users who see it and who have not read it.
package struct PlainConversations {
    package struct Text {
        package var number: Int64
        package var sender: String
        package var id: String
        package var text: String
        package var time: Int64
        var seenBy: Set<String>
        var unreadBy: Set<String>
    }

    struct View {
        var isListed = true
        var isMuted = false
        /// Position in the list across all conversations; a larger value is newer.
        var order = 0
        /// Number of the last message that this user has cleared.
        var cleared: Int64 = 0
    }

    struct Talk {
        /// The two users, or the members of a group in order of joining.
        var members: [String]
        var group: (id: String, name: String, owner: String)?
        /// The creator of a group.
        var creator: String?
        var texts: [Text] = []
        var lastNumber: Int64 = 0
        var lastTime: Int64 = 0
        var views: [String: View] = [:]
    }

    package struct Listed: Equatable {
        package var ref: ConversationRef
        package var name: String
        package var unread: Int
        package var last: String?
        package var isMuted: Bool
        package var cleared: Int64
    }

    let limits: MessagingLimits
    private(set) var talks: [Talk] = []
    /// Creators of ended groups, with the time of the end; these groups count until the next sweep.
    private var ended: [(creator: String, time: Int64)] = []
    private var clock = 0

    package init(limits: MessagingLimits) { self.limits = limits }

    // MARK: queries

    func index(of ref: ConversationRef, for user: String) -> Int? {
        talks.firstIndex { talk in
            guard talk.views[user] != nil, talk.members.contains(user) else { return false }
            switch ref.type {
            case .group: return talk.group?.id == ref.id
            case .peer: return talk.group == nil && talk.members.contains(ref.id) && ref.id != user
            }
        }
    }

    func ref(_ talk: Talk, for user: String) -> ConversationRef {
        talk.group.map { .group($0.id) } ?? .peer(talk.members.first { $0 != user } ?? "")
    }

    package func list(of user: String) -> [Listed] {
        talks.filter { $0.views[user]?.isListed == true }
            .sorted { ($0.views[user]?.order ?? 0) > ($1.views[user]?.order ?? 0) }
            .map { talk in
                let ref = ref(talk, for: user)
                return Listed(
                    ref: ref, name: talk.group?.name ?? ref.id, unread: unread(talk, user),
                    last: talk.texts.last { $0.seenBy.contains(user) }?.id,
                    isMuted: talk.views[user]?.isMuted == true, cleared: talk.views[user]?.cleared ?? 0)
            }
    }

    /// Returns the user's deleted conversations, each with its last cleared message.
    package func deleted(of user: String) -> [ConversationRef: Int64] {
        talks.reduce(into: [:]) { found, talk in
            guard let view = talk.views[user], !view.isListed, talk.members.contains(user) else { return }
            found[ref(talk, for: user)] = view.cleared
        }
    }

    private func unread(_ talk: Talk, _ user: String) -> Int { talk.texts.count { $0.unreadBy.contains(user) } }

    package func total(of user: String) -> Int {
        talks.filter { $0.views[user]?.isListed == true && $0.views[user]?.isMuted == false }
            .reduce(0) { $0 + unread($1, user) }
    }

    package func history(_ ref: ConversationRef, of user: String) -> [Text]? {
        index(of: ref, for: user).map { talks[$0].texts.filter { $0.seenBy.contains(user) } }
    }

    /// Returns messages that at least one user still sees, and that are therefore certainly stored.
    package func stored(by sender: String) -> [(ref: ConversationRef, text: Text)] {
        talks.flatMap { talk in
            talk.texts.filter { $0.sender == sender && !$0.seenBy.isEmpty }.map { (ref(talk, for: sender), $0) }
        }
    }

    package func refs(of user: String) -> [ConversationRef] {
        talks.filter { $0.views[user] != nil && $0.members.contains(user) }.map { ref($0, for: user) }
    }

    package func groups(of user: String) -> [String] {
        talks.filter { $0.members.contains(user) }.compactMap { $0.group?.id }
    }

    package func group(_ id: String) -> Group? {
        talks.first { $0.group?.id == id }.flatMap { talk in
            talk.group.map { Group(id: $0.id, name: $0.name, owner: $0.owner, members: talk.members) }
        }
    }

    // MARK: changes

    private mutating func tick() -> Int {
        clock += 1
        return clock
    }

    /// - Returns: the message's number, and the users who get a notification.
    package mutating func send(
        _ ref: ConversationRef, from sender: String, id: String, text: String, now: Int64
    ) -> Result<(number: Int64, called: Set<String>), SignalingError> {
        var found = talks.firstIndex {
            ref.type == .group
                ? $0.group?.id == ref.id && $0.members.contains(sender)
                : $0.group == nil && Set($0.members) == [sender, ref.id]
        }
        if found == nil {
            guard ref.type == .peer else { return .failure(SignalingError(.unknownGroup)) }
            talks.append(Talk(members: [sender, ref.id]))
            found = talks.count - 1
        }
        guard let index = found else { return .failure(SignalingError(.internalError)) }
        let order = tick()
        talks[index].lastNumber += 1
        talks[index].lastTime = max(talks[index].lastTime, now)
        let members = Set(talks[index].members)
        var called: Set<String> = []
        for member in members {
            var view = talks[index].views[member] ?? View(cleared: talks[index].lastNumber - 1)
            view.isListed = true
            view.order = order
            talks[index].views[member] = view
            if member != sender, !view.isMuted { called.insert(member) }
        }
        talks[index].texts.append(
            Text(
                number: talks[index].lastNumber, sender: sender, id: id, text: text, time: talks[index].lastTime,
                seenBy: members, unreadBy: members.subtracting([sender])))
        return .success((talks[index].lastNumber, called))
    }

    /// - Returns: whether the conversation exists.
    package mutating func clearUnread(_ ref: ConversationRef, of user: String) -> Bool {
        guard let index = index(of: ref, for: user) else { return false }
        for text in talks[index].texts.indices { talks[index].texts[text].unreadBy.remove(user) }
        return true
    }

    package mutating func mute(_ isMuted: Bool, _ ref: ConversationRef, of user: String) -> Bool {
        guard let index = index(of: ref, for: user) else { return false }
        talks[index].views[user]?.isMuted = isMuted
        return true
    }

    package mutating func deleteConversation(_ ref: ConversationRef, of user: String) -> Bool {
        guard clearUnread(ref, of: user), let index = index(of: ref, for: user) else { return false }
        talks[index].views[user]?.isListed = false
        return true
    }

    package mutating func deleteMessages(_ ref: ConversationRef, of user: String) -> Bool {
        guard clearUnread(ref, of: user), let index = index(of: ref, for: user) else { return false }
        for text in talks[index].texts.indices { talks[index].texts[text].seenBy.remove(user) }
        let last = talks[index].lastNumber
        talks[index].views[user]?.cleared = last
        return true
    }

    package mutating func createGroup(_ name: String, by owner: String, _ members: [String], id: String) -> ErrorCode? {
        var all: [String] = []
        for member in [owner] + members where !all.contains(member) { all.append(member) }
        let made = talks.count { $0.creator == owner } + ended.count { $0.creator == owner }
        if made >= limits.groupsPerUser { return .limitReached }
        if let code = refusal(size: all.count, members) { return code }
        let order = tick()
        var talk = Talk(members: all, group: (id, name, owner), creator: owner)
        for member in all { talk.views[member] = View(order: order) }
        talks.append(talk)
        return nil
    }

    private func refusal(size: Int, _ newcomers: [String]) -> ErrorCode? {
        if size > limits.groupMembers { return .groupFull }
        return newcomers.contains { groups(of: $0).count >= limits.membershipsPerUser } ? .limitReached : nil
    }

    package mutating func invite(_ members: [String], to id: String, by user: String) -> ErrorCode? {
        guard let index = index(of: .group(id), for: user) else { return .unknownGroup }
        var new: [String] = []
        for member in members where !talks[index].members.contains(member) && !new.contains(member) {
            new.append(member)
        }
        if new.isEmpty { return nil }
        if let code = refusal(size: talks[index].members.count + new.count, new) { return code }
        let order = tick()
        for member in new {
            talks[index].members.append(member)
            talks[index].views[member] = View(order: order, cleared: talks[index].lastNumber)
        }
        return nil
    }

    private mutating func end(_ index: Int, now: Int64) {
        if let creator = talks[index].creator { ended.append((creator, max(now, 1))) }
        talks.remove(at: index)
    }

    package mutating func leave(_ id: String, _ user: String, now: Int64) -> ErrorCode? {
        guard let index = index(of: .group(id), for: user) else { return .unknownGroup }
        talks[index].members.removeAll { $0 == user }
        talks[index].views[user] = nil
        for text in talks[index].texts.indices {
            talks[index].texts[text].unreadBy.remove(user)
            talks[index].texts[text].seenBy.remove(user)
        }
        if let heir = talks[index].members.first {
            if talks[index].group?.owner == user { talks[index].group?.owner = heir }
        } else {
            end(index, now: now)
        }
        return nil
    }

    package mutating func dismiss(_ id: String, by user: String, now: Int64) -> ErrorCode? {
        guard let index = index(of: .group(id), for: user) else { return .unknownGroup }
        guard talks[index].group?.owner == user else { return .notPermitted }
        end(index, now: now)
        return nil
    }

    package mutating func expire(before time: Int64) {
        for index in talks.indices { talks[index].texts.removeAll { $0.time < time } }
    }

    /// Stops counting groups that were dismissed before `time`.
    package mutating func clearAway(before time: Int64) { ended.removeAll { $0.time < time } }

    package mutating func remove(_ user: String, now: Int64) {
        for id in groups(of: user) { _ = leave(id, user, now: now) }
        ended.removeAll { $0.creator == user }
        for index in talks.indices where talks[index].creator == user { talks[index].creator = nil }
        for index in talks.indices {
            talks[index].texts.removeAll { $0.sender == user }
            talks[index].views[user] = nil
            for text in talks[index].texts.indices {
                talks[index].texts[text].unreadBy.remove(user)
                talks[index].texts[text].seenBy.remove(user)
            }
        }
        // Both users are removed: new users with these ids start an empty conversation.
        talks.removeAll { $0.group == nil && $0.views.isEmpty }
    }
}

package import Messaging
package import Signaling

/// Random histories of several users, executed by a store under test and by the plain model; every difference is a fault.
package struct RandomConversations {
    package typealias Apply = (MessagingCommand, _ now: Int64) async -> Result<MessagingOutcome, SignalingError>

    static let users = ["ada", "bob", "cyd", "dan", "eve"]
    package static let limits: MessagingLimits = {
        var limits = MessagingLimits()
        limits.groupMembers = 4
        limits.groupsPerUser = 3
        limits.dismissedGroupDays = 0
        return limits
    }()

    let app: String
    let apply: Apply
    var random: any RandomNumberGenerator
    var model = PlainConversations(limits: limits)
    var now: Int64 = 1_000
    var replicas: [String: ConversationReplica] = [:]
    var followers: [String: ConversationReplica] = [:]
    /// Sent messages of each user with their answers. A message is never stored a second time, even if it was removed.
    private var answered: [String: [(request: SendMessageRequest, answer: MessagingAnswer)]] = [:]
    private var ids = 0
    package private(set) var faults: [String] = []
    /// Counts of each granted method and of each error.
    package private(set) var granted: [String: Int] = [:]
    package private(set) var refused: [ErrorCode: Int] = [:]

    /// Returns the id of a group, unique across apps. In production group ids are random.
    private func groupID(_ number: Int) -> String { "\(app) g\(number)" }

    /// Whether the run does sweeps: a sweep covers all apps of a store, and the model has only one.
    private let sweeps: Bool

    package init(app: String, sweeps: Bool = true, random: any RandomNumberGenerator, apply: @escaping Apply) {
        self.app = app
        self.sweeps = sweeps
        self.random = random
        self.apply = apply
    }

    private mutating func pick<Item>(_ items: [Item]) -> Item? { items.randomElement(using: &random) }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func user() -> String { pick(Self.users) ?? "ada" }

    package mutating func check(_ isTrue: Bool, _ text: String) {
        if !isTrue, faults.count < 20 { faults.append(text) }
    }

    private mutating func perform(
        _ user: String, _ request: MessagingRequest, expect expected: ErrorCode? = nil
    ) async -> MessagingOutcome? {
        let command = MessagingCommand(
            user: UserKey(app: app, id: user), action: .request(request), newGroup: groupID(ids))
        switch await apply(command, now) {
        case .success(let outcome):
            check(expected == nil, "\(user) \(request): granted, not \(expected?.rawValue ?? "")")
            // Cases are named as methods.
            granted[String("\(request)".prefix { $0 != "(" }), default: 0] += 1
            deliver(outcome.deliveries)
            return outcome
        case .failure(let error):
            check(error.code == expected, "\(user) \(request): \(error), not \(expected?.rawValue ?? "granted")")
            refused[error.code, default: 0] += 1
            return nil
        }
    }

    private mutating func deliver(_ deliveries: [MessageDelivery]) {
        for delivery in deliveries {
            for user in delivery.users { replicas[user, default: ConversationReplica()].take(delivery.event) }
        }
    }

    /// Returns a random conversation of the user, sometimes one that does not exist.
    private mutating func ref(of user: String) -> ConversationRef {
        if number(0...9) > 0, let ref = pick(model.refs(of: user)) { return ref }
        return number(0...1) == 0 ? .group(groupID(number(0...max(ids, 1)))) : .peer(self.user() + "x")
    }

    package mutating func step() async {
        now = max(now + Int64(number(-3...20)), 0)
        let user = user()
        switch number(0...199) {
        case 0..<90: await send(user)
        case 90..<95: await sendAgain(user)
        case 95..<100: await sendAnyAgain(user)
        case 100..<120:
            let ref = ref(of: user)
            let isKnown = model.clearUnread(ref, of: user)
            _ = await perform(user, .clearUnread(.init(conversation: ref)), expect: isKnown ? nil : unknown(ref))
        case 120..<135:
            let ref = ref(of: user)
            let status = NotificationStatus.allCases[number(0...1)]
            let isKnown = model.mute(status == .doNotDisturb, ref, of: user)
            let request = SetNotificationRequest(conversation: ref, status: status)
            _ = await perform(user, .setNotification(request), expect: isKnown ? nil : unknown(ref))
        case 135..<145:
            let ref = ref(of: user)
            let isKnown = model.deleteConversation(ref, of: user)
            _ = await perform(user, .deleteConversation(.init(conversation: ref)), expect: isKnown ? nil : unknown(ref))
        case 145..<153:
            let ref = ref(of: user)
            let isKnown = model.deleteMessages(ref, of: user)
            _ = await perform(user, .deleteMessages(.init(conversation: ref)), expect: isKnown ? nil : unknown(ref))
        case 153..<190: await changeGroup(user)
        case 190..<196: if sweeps { await sweep() }
        case 196..<198: await remove(user)
        default:
            let login = MessagingCommand(user: UserKey(app: app, id: user), action: .login(name: nil))
            _ = await apply(login, now)
        }
        await look(at: self.user())
    }

    private func unknown(_ ref: ConversationRef) -> ErrorCode {
        ref.type == .group ? .unknownGroup : .unknownConversation
    }

    private mutating func send(_ user: String) async {
        ids += 1
        let group = number(0...2) == 0 ? pick(model.groups(of: user)) : nil
        var ref = group.map { ConversationRef.group($0) } ?? .peer(pick(Self.users.filter { $0 != user }) ?? "")
        if number(0...30) == 0 { ref = .group(groupID(number(0...ids))) }
        let text = "text \u{0} \(ids)"
        let request = SendMessageRequest(conversation: ref, message: "m\(ids)", text: text)
        switch model.send(ref, from: user, id: request.message, text: text, now: now) {
        case .failure(let error): _ = await perform(user, .sendMessage(request), expect: error.code)
        case .success(let sent):
            guard let outcome = await perform(user, .sendMessage(request)) else { return }
            if case .sent(let answer) = outcome.answer {
                check(answer.number == sent.number, "number \(answer.number), not \(sent.number)")
                answered[user, default: []].append((request, outcome.answer))
            } else {
                check(false, "answer \(outcome.answer)")
            }
            var called: [String] = []
            for delivery in outcome.deliveries {
                if case .notification = delivery.event { called += delivery.users }
            }
            check(
                called.count == Set(called).count && Set(called) == sent.called, "called \(called), not \(sent.called)")
        }
    }

    /// Sends an earlier message again, even if it was removed since. Skips groups that no longer exist.
    private mutating func sendAnyAgain(_ user: String) async {
        let groups = model.groups(of: user)
        let known = (answered[user] ?? []).filter { sent in
            sent.request.conversation.type == .peer || groups.contains(sent.request.conversation.id)
        }
        guard let (request, answer) = pick(known) else { return }
        guard let outcome = await perform(user, .sendMessage(request)) else { return }
        check(outcome.deliveries.isEmpty, "a repetition is told: \(outcome.deliveries)")
        check(outcome.answer == answer, "\(outcome.answer), not \(answer) as before")
    }

    private mutating func sendAgain(_ user: String) async {
        guard let (ref, stored) = pick(model.stored(by: user)) else { return }
        let request = SendMessageRequest(conversation: ref, message: stored.id, text: stored.text)
        guard let outcome = await perform(user, .sendMessage(request)) else { return }
        check(outcome.deliveries.isEmpty, "a repetition is told: \(outcome.deliveries)")
        check(outcome.answer == .sent(.init(number: stored.number, time: stored.time)), "\(outcome.answer) \(stored)")
        let other = SendMessageRequest(conversation: ref, message: stored.id, text: stored.text + "!")
        _ = await perform(user, .sendMessage(other), expect: .invalidField)
    }

    private mutating func changeGroup(_ user: String) async {
        ids += 1
        let group = pick(model.groups(of: user)) ?? groupID(number(0...ids))
        let members = (0..<number(0...5)).map { _ in self.user() }
        switch number(0...9) {
        case 0..<4:
            let code = model.createGroup("Group \(ids)", by: user, members, id: groupID(ids))
            let request = CreateGroupRequest(name: "Group \(ids)", members: members)
            let outcome = await perform(user, .createGroup(request), expect: code)
            if let outcome { checkGroup(outcome, groupID(ids)) }
        case 4..<7:
            let code = model.invite(members, to: group, by: user)
            let outcome = await perform(user, .inviteToGroup(.init(group: group, members: members)), expect: code)
            if let outcome { checkGroup(outcome, group) }
        case 7..<9:
            let code = model.leave(group, user, now: now)
            _ = await perform(user, .leaveGroup(.init(group: group)), expect: code)
        default:
            let code = model.dismiss(group, by: user, now: now)
            _ = await perform(user, .dismissGroup(.init(group: group)), expect: code)
        }
    }

    private mutating func checkGroup(_ outcome: MessagingOutcome, _ id: String) {
        guard let expected = model.group(id) else { return check(false, "no group \(id)") }
        check(outcome.answer == .group(expected), "\(outcome.answer) is not \(expected)")
    }

    private mutating func sweep() async {
        let time = number(0...1) == 0 ? now - Int64(number(0...2_000)) : nil
        if let time { model.expire(before: time) }
        model.clearAway(before: now)
        for _ in 0..<10_000 {
            guard case .success(let outcome) = await apply(.sweep(olderThan: time, limit: number(1...7)), now),
                case .swept(let removed, _) = outcome.answer
            else { return check(false, "a sweep failed") }
            deliver(outcome.deliveries)
            guard removed != nil else {
                granted["sweep", default: 0] += 1
                return
            }
        }
        check(false, "a sweep has no end")
    }

    private mutating func remove(_ user: String) async {
        model.remove(user, now: now)
        answered[user] = nil
        let key = UserKey(app: app, id: user)
        for _ in 0..<10_000 {
            let command = MessagingCommand(user: key, action: .removeSlice(limit: number(1...7)))
            guard case .success(let outcome) = await apply(command, now) else { return check(false, "not removed") }
            deliver(outcome.deliveries)
            guard outcome.answer == .sliceRemoved(isDone: false) else {
                replicas[user] = nil
                granted["remove", default: 0] += 1
                return
            }
        }
        check(false, "a removal has no end")
    }
}

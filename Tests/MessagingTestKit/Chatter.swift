package import Messaging
package import Signaling

/// The messaging rules over a store in memory, for tests that send requests and check their outcomes.
package final class Chatter {
    package let store = MemoryMessageStore()
    package var limits = MessagingLimits()
    package var now: Int64 = 1_000
    private var groups = 0

    package init() {}

    @discardableResult
    package func apply(_ user: String, _ action: MessagingCommand.Action, app: String = "app") throws
        -> MessagingOutcome
    {
        var rules = Messaging(store, limits: limits, now: now)
        groups += 1
        return try rules.apply(
            MessagingCommand(user: UserKey(app: app, id: user), action: action, newGroup: "g\(groups)"))
    }

    @discardableResult
    package func ask(_ user: String, _ request: MessagingRequest, app: String = "app") throws -> MessagingOutcome {
        try apply(user, .request(request), app: app)
    }

    @discardableResult
    package func send(
        _ text: String, from user: String, to ref: ConversationRef, id: String? = nil, app: String = "app"
    ) throws -> MessagingOutcome {
        now += 1
        let request = SendMessageRequest(conversation: ref, message: id ?? "m\(now)", text: text)
        return try ask(user, .sendMessage(request), app: app)
    }

    package func list(_ user: String, app: String = "app") throws -> ConversationsRequest.Answer {
        guard case .conversations(let answer) = try ask(user, .conversations(.init(count: 100)), app: app).answer else {
            throw SignalingError(.internalError)
        }
        return answer
    }

    package func texts(_ user: String, _ ref: ConversationRef, app: String = "app") throws -> [String] {
        guard
            case .history(let answer) = try ask(
                user, .history(.init(conversation: ref, count: 100)), app: app
            ).answer
        else { throw SignalingError(.internalError) }
        return answer.messages.map(\.text)
    }

    package func group(_ name: String, _ owner: String, _ members: [String]) throws -> Group {
        guard case .group(let group) = try ask(owner, .createGroup(.init(name: name, members: members))).answer else {
            throw SignalingError(.internalError)
        }
        return group
    }

    /// Returns the error code with which `body` is refused; nil if it is accepted.
    package func code(_ body: () throws -> some Any) -> ErrorCode? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? SignalingError)?.code ?? .internalError
        }
    }
}

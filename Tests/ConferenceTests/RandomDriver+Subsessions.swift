import Conference
import Signaling

extension RandomDriver {
    mutating func subsessionRequests(_ world: World, _ target: ConnectionID) -> [any RequestBody] {
        let names = (0...random.below(4)).map { chance(98) ? "room \($0)" : "" }
        let subsession = subsession(world)
        let help = help(world)
        return [
            SubsessionsRequest(), CommitSubsessionsRequest(names: names),
            chance(30)
                ? WithdrawSubsessionsRequest() : StartSubsessionsRequest(),
            StartSubsessionsRequest(),
            chance(20)
                ? StopSubsessionsRequest()
                : JoinSubsessionRequest(subsession: subsession),
            JoinSubsessionRequest(subsession: subsession),
            JoinSubsessionRequest(subsession: subsession),
            ReturnToMainSessionRequest(), BroadcastRequest(text: "t"),
            RequestHelpRequest(), RequestHelpRequest(),
            AnswerHelpRequest(request: help, isAccepted: flip()),
            ChatRequest(text: "t", to: flip() ? target : nil),
            SetChatAllowedRequest(isAllowed: chance(70)),
        ]
    }

    mutating func location(_ world: World) -> Location { flip() ? .mainSession : .subsession(subsession(world)) }

    private mutating func subsession(_ world: World) -> SubsessionID {
        let list = world.conference.subsessionList
        guard !list.isEmpty, chance(95) else { return SubsessionID(rawValue: "none") }
        return list[random.below(list.count)].id
    }

    private mutating func help(_ world: World) -> HelpRequestID {
        world.deliverAll()
        let open = Set(world.clients.values.flatMap(\.asked)).sorted { $0.rawValue < $1.rawValue }
        return open.isEmpty ? HelpRequestID(rawValue: "none") : open[random.below(open.count)]
    }
}

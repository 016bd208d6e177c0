import Conference
import Signaling

extension RandomDriver {
    mutating func subsessionRequests(_ world: World, _ target: ConnectionID) -> [Request] {
        let names = (0...random.below(4)).map { chance(98) ? "room \($0)" : "" }
        let subsession = subsession(world)
        let help = help(world)
        return [
            .subsessions(SubsessionsRequest()), .commitSubsessions(CommitSubsessionsRequest(names: names)),
            chance(30)
                ? .withdrawSubsessions(WithdrawSubsessionsRequest()) : .startSubsessions(StartSubsessionsRequest()),
            .startSubsessions(StartSubsessionsRequest()),
            chance(20)
                ? .stopSubsessions(StopSubsessionsRequest())
                : .joinSubsession(JoinSubsessionRequest(subsession: subsession)),
            .joinSubsession(JoinSubsessionRequest(subsession: subsession)),
            .joinSubsession(JoinSubsessionRequest(subsession: subsession)),
            .returnToMainSession(ReturnToMainSessionRequest()), .broadcast(BroadcastRequest(text: "t")),
            .requestHelp(RequestHelpRequest()), .requestHelp(RequestHelpRequest()),
            .answerHelp(AnswerHelpRequest(request: help, isAccepted: flip())),
            .chat(ChatRequest(text: "t", to: flip() ? target : nil)),
            .setChatAllowed(SetChatAllowedRequest(isAllowed: chance(70))),
        ]
    }

    mutating func place(_ world: World) -> Place { flip() ? .mainSession : .subsession(subsession(world)) }

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

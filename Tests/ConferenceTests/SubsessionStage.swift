import Conference
import Signaling

/// A host, a manager and three participants, with subsessions "one" and "two" started.
struct SubsessionStage {
    let world: World
    let host: ConnectionID
    let manager: ConnectionID
    let users: [ConnectionID]
    let one: SubsessionID
    let two: SubsessionID

    init(isStarted: Bool = true) throws {
        let world = try World()
        self.world = world
        host = try world.join("host", .hostCapable)
        manager = try world.join("manager", .hostCapable)
        users = try (0..<3).map { try world.join("user \($0)") }
        try world.request(SetManagerRequest(user: manager, isManager: true), host)
        try world.request(CommitSubsessionsRequest(names: ["one", "two"]), host)
        (one, two) = (world.conference.subsessionList[0].id, world.conference.subsessionList[1].id)
        if isStarted { try world.request(StartSubsessionsRequest(), manager) }
        world.forgetEvents()
    }

    func join(_ id: ConnectionID, _ subsession: SubsessionID) throws(SignalingError) {
        try world.request(JoinSubsessionRequest(subsession: subsession), id)
    }

    func comeBack(_ id: ConnectionID) throws(SignalingError) {
        try world.request(ReturnToMainSessionRequest(), id)
    }
}

/// The changes of subsessions among the events of a client.
func subsessionChanges(_ events: [Event]) -> [SubsessionsChange] {
    events.compactMap { if case .subsessionsChanged(let body) = $0 { body.change } else { nil } }
}

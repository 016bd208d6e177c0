import Conference
import MediaBase
import MillraceTestKit
import Signaling

/// Generates random activity of a session, as caused by many clients, an operator and a media plane at once.
struct RandomDriver {
    var random: SeededGenerator
    /// Publish plans that are being negotiated.
    var open: [PublishPlan] = []
    /// Negotiated plans whose streams have sent no media yet.
    var silent: [PublishPlan] = []
    /// How often each request succeeded and failed.
    var succeeded: [String: Int] = [:]
    var failed: [String: Int] = [:]
    var resumes = 0
    var gaps = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }
    mutating func flip() -> Bool { chance(50) }

    mutating func step(_ world: World) {
        switch random.below(100) {
        case 0..<10: join(world)
        case 10..<13: lose(world)
        case 13..<17: comeBack(world)
        case 17..<19: world.pass(.milliseconds(Int64(random.below(400))))
        case 19..<20: world.pass(.milliseconds(Int64(random.below(20_000))))
        case 20..<32: plan(world)
        case 32..<40: settle(world)
        case 40..<46: report(world)
        case 46..<48: order(world)
        default: request(world)
        }
    }

    private mutating func join(_ world: World) {
        let capabilities = Capabilities(
            canPublish: chance(85), canSubscribe: chance(85), canForceMute: chance(30), canForceDisconnect: chance(10),
            canHost: chance(40))
        let kind: UserInfo.Kind = chance(15) ? .publisher : .client
        let names = ["", "Ada", String(repeating: "n", count: 250)]
        let token = "token\(random.below(60))"
        let name = names[random.below(3)]
        _ = code { try world.join(name, capabilities, kind: kind, token: token) }
    }

    /// Breaks a client's socket with some events unwritten, and some written but not received.
    private mutating func lose(_ world: World) {
        guard let id = client(world) else { return }
        request(world)
        guard world.closed[id] == nil else { return }
        world.deliver(id, limit: random.below(3))
        world.lose(id, count: random.below(3))
        world.drop(id)
    }

    private mutating func comeBack(_ world: World) {
        let lost = world.conference.users.filter { $0.kind == .client && !$0.isConnected }.map(\.id)
        guard !lost.isEmpty else { return }
        let id = lost[random.below(lost.count)]
        switch code({ try world.resume(id) }) {
        case nil: resumes += 1
        default: gaps += 1
        }
    }

    private mutating func plan(_ world: World) {
        guard let sender = user(world) else { return }
        var wanted: [PublishRequest.Stream] = []
        for own in world.conference.streams where own.connection == sender && chance(85) {
            wanted.append(
                PublishRequest.Stream(
                    id: own.id, name: own.name, videoType: own.videoType, audioMid: chance(80) ? "0" : nil,
                    videoMid: "1"))
        }
        if chance(80) {
            wanted.append(
                PublishRequest.Stream(
                    name: "s", videoType: flip() ? .camera : .screen, audioMid: chance(70) ? "2" : nil,
                    videoMid: chance(80) ? "3" : nil, width: 640, height: 360))
        }
        let request = wanted
        let code = code { open.append(try world.prepare(request, sender)) }
        count(PublishRequest.method, code == nil)
    }

    private mutating func settle(_ world: World) {
        if !open.isEmpty, flip() {
            let plan = open.remove(at: random.below(open.count))
            guard chance(80) else { return world.carryOut(world.conference.cancelPublish(plan)) }
            world.confirm(plan)
            silent.append(plan)
        } else if !silent.isEmpty {
            world.announce(silent.remove(at: random.below(silent.count)))
        }
    }

    private mutating func report(_ world: World) {
        let stream = stream(world)
        guard let id = user(world) else { return }
        switch random.below(10) {
        case 0: world.media(.unpublished(stream, flip() ? .networkLost : .reset))
        case 1: world.media(.dimensions(stream, width: random.below(2_000), height: random.below(2_000)))
        case 2: world.media(.subscribed(id, stream))
        case 3: world.media(.subscriptionFailed(id, stream))
        case 4: world.media(.videoPaused(id, stream))
        case 5: world.media(.videoResumed(id, stream))
        case 6: world.media(.activeSpeaker(flip() ? stream : nil, in: location(world)))
        case 7: world.media(.recorded(stream, flip()))
        case 8 where flip():
            let retryIn = flip() ? 1 : nil
            world.push(
                live(world), flip() ? .started : .failed(.connectionLost, detail: "lost", retryIn: retryIn))
        case 8: world.media(.reset(id, publish: flip(), subscribe: flip()))
        default: world.media(.publisherLeft(id, .networkLost))
        }
    }

    private mutating func order(_ world: World) {
        let stream = stream(world)
        guard let id = user(world) else { return }
        let commands: [AdminCommand] = [
            .setMuted(stream, flip() ? .audio : .video, flip()), .muteUser(id, .audio), .unpublish(stream),
            .forceMuteAll(excluding: [stream]), .disableForceMute, .lockShare(flip()),
            .signal(type: "t", data: "d", to: flip() ? id : nil), .remove(id),
        ]
        let command = commands[random.below(commands.count)]
        _ = code { try world.admin(command) }
    }

    private mutating func request(_ world: World) {
        guard let sender = user(world), let target = user(world) else { return }
        let stream = stream(world)
        let kind: TrackKind = flip() ? .audio : .video
        let preferences = SubscriptionPreferences(audio: flip(), video: flip(), priority: random.below(103))
        let requests: [any RequestBody] = [
            SubscribeRequest(stream: stream, preferences: preferences),
            SubscribeRequest(stream: stream),
            UpdateSubscriptionRequest(stream: stream, preferences: preferences),
            UnsubscribeRequest(stream: stream), UnpublishRequest(stream: stream),
            UpdateStreamRequest(stream: stream, name: "n\(random.below(9))"),
            SetMutedRequest(stream: stream, kind: kind, isMuted: flip()),
            SetMutedRequest(stream: stream, kind: .audio, isMuted: false),
            SignalRequest(type: "t", data: "d", to: flip() ? target : nil),
            RenameRequest(user: flip() ? sender : target, name: "n\(random.below(9))"),
            MuteUserRequest(user: target, kind: kind),
            RequestUnmuteRequest(user: target, kind: kind),
            ForceMuteStreamRequest(stream: stream),
            ForceMuteAllRequest(excluding: flip() ? [stream] : []),
            DisableForceMuteRequest(), MakeHostRequest(user: target),
            SetManagerRequest(user: target, isManager: chance(70)),
            LockShareRequest(isLocked: flip()), PingRequest(), UsersRequest(),
            AnswerRequest(revision: 1, sdp: ""),
            chance(30) ? RemoveUserRequest(user: target) : RestartICERequest(),
            chance(30) ? LeaveRequest(endForAll: chance(2)) : StatisticsRequest(),
            StartPushRequest(to: "https://live.example/whip", stream: flip() ? stream : nil),
            StopPushRequest(id: live(world)),
        ]
        let all = requests + subsessionRequests(world, target)
        let request = all[random.below(all.count)]
        // Half of the requests come from the host, so that privileged requests succeed often enough.
        let by = flip() ? sender : world.conference.host ?? sender
        // A lost client sends nothing.
        guard world.conference.user(by)?.isConnected != false else { return }
        count(request.method, code { try world.request(request, by) } == nil)
    }

    private mutating func count(_ method: String, _ isSuccess: Bool) {
        if isSuccess { succeeded[method, default: 0] += 1 } else { failed[method, default: 0] += 1 }
    }

    /// Returns a user of the session, or in 5 % of calls one who has left.
    private mutating func user(_ world: World) -> ConnectionID? {
        let users =
            chance(95) ? world.conference.users.map(\.id) : world.closed.keys.sorted { $0.rawValue < $1.rawValue }
        return users.isEmpty ? nil : users[random.below(users.count)]
    }

    private mutating func client(_ world: World) -> ConnectionID? {
        let users = world.conference.users.filter { $0.kind == .client && $0.isConnected }
        return users.isEmpty ? nil : users[random.below(users.count)].id
    }

    /// Returns a live stream whose push runs, or one that does not exist.
    private mutating func live(_ world: World) -> PushID {
        let running = world.pushes.sorted { $0.rawValue < $1.rawValue }
        return running.isEmpty ? PushID(rawValue: "none") : running[random.below(running.count)]
    }

    private mutating func stream(_ world: World) -> StreamID {
        let streams = world.conference.streams
        guard !streams.isEmpty, chance(92) else {
            return StreamID(rawValue: chance(50) ? "none" : open.first?.streams.first?.id.rawValue ?? "none")
        }
        return streams[random.below(streams.count)].id
    }
}

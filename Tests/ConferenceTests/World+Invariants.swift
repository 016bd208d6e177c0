import Conference
import Signaling

extension World {
    /// Returns all violations of invariants in the session's current state.
    func violations() -> [String] {
        deliverAll()
        var found = allFaults()
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { found.append(text()) } }
        let users = conference.users
        let streams = conference.streams

        // A push runs for each live stream, and each live stream has a stream or is the programme.
        require(Set(conference.pushes.map(\.id)) == pushes, "pushes \(pushes)")
        if conference.isEnded { require(pushes.isEmpty, "pushes \(pushes) of an ended session") }
        for live in conference.pushes {
            guard let stream = live.stream else { continue }
            require(streams.contains { $0.id == stream }, "\(live.id) of \(stream), which has ended")
        }

        // Exactly one host while a participant can have the role.
        let hosts = users.filter { $0.role == .host }.map(\.id)
        let able = users.contains {
            $0.kind == .client && (conference.capabilities(of: $0.id)?.canHost == true || $0.role != .participant)
        }
        require(hosts.count == (able ? 1 : 0), "hosts \(hosts), able \(able)")
        require(conference.host == hosts.first, "host \(String(describing: conference.host)) is not \(hosts)")

        // Capabilities are never exceeded.
        for user in users {
            guard let capabilities = conference.capabilities(of: user.id) else {
                found.append("no capabilities: \(user.id)")
                continue
            }
            let isCapable = capabilities.canHost || conference.limits.policy.promotion == .any
            require(user.role == .participant || user.kind == .client && isCapable, "\(user.id) is \(user.role)")
            let own = streams.filter { $0.connection == user.id }
            require(own.isEmpty || capabilities.canPublish, "\(user.id) publishes")
            require(own.count { $0.videoType == .camera } <= 1 && own.count { $0.videoType == .screen } <= 1, "\(own)")
            require(
                conference.subscriptions(of: user.id).isEmpty || capabilities.canSubscribe, "\(user.id) subscribes")
            if conference.isShareLocked, user.role == .participant {
                require(!own.contains { $0.videoType == .screen }, "\(user.id) shares under the lock")
            }
            require(status(own, \.hasAudio, \.isAudioMuted, [.camera, .screen]) == user.audio, "audio of \(user.id)")
            require(status(own, \.hasVideo, \.isVideoMuted, [.camera]) == user.video, "video of \(user.id)")
            require(status(own, \.hasVideo, \.isVideoMuted, [.screen]) == user.share, "share of \(user.id)")
        }

        // Each stream has an owner, and is dropped if and only if the owner is lost.
        for stream in streams {
            let owner = users.first { $0.id == stream.connection }
            require(owner != nil, "\(stream.id) has no owner")
            require(owner?.isConnected == !stream.isDropped, "\(stream.id) dropped: \(stream.isDropped)")
        }

        require(conference.isRecorded == !conference.recordedStreams.isEmpty, "isRecorded is \(conference.isRecorded)")

        checkMediaPlane(require)
        checkClients(require)
        return found
    }

    private func checkMediaPlane(_ require: (Bool, @autoclosure () -> String) -> Void) {
        var legs: [ModelMediaPlane.Leg: SubscriptionPreferences] = [:]
        for user in conference.users {
            for (stream, preferences) in conference.subscriptions(of: user.id) {
                legs[ModelMediaPlane.Leg(connection: user.id, stream: stream)] = preferences
            }
            require(
                plane.locations[user.id] ?? .mainSession == conference.location(of: user.id), "location of \(user.id)")
        }
        for (leg, preferences) in legs {
            guard let there = plane.legs[leg] else {
                // A subscription that was never active is unknown to the media plane.
                require(!isHeard(leg), "the media plane lacks \(leg)")
                continue
            }
            require(there == preferences, "the wish of \(leg)")
        }
        for leg in plane.legs.keys { require(legs[leg] != nil, "\(leg) is there, and nobody wants it") }
        for stream in conference.streams {
            require(plane.streams.contains(stream.id), "the media plane lacks \(stream.id)")
            for (kind, isMuted) in [(TrackKind.audio, stream.isAudioMuted), (.video, stream.isVideoMuted)] {
                let isMutedThere = plane.muted.contains(ModelMediaPlane.Kind(stream: stream.id, kind: kind))
                require(isMutedThere == isMuted, "\(stream.id) \(kind) is muted: \(isMuted), there \(isMutedThere)")
            }
        }
        if ended != nil { require(plane.streams.isEmpty && plane.legs.isEmpty, "media after the end") }
    }

    /// Compares each client's state with the session's.
    private func checkClients(_ require: (Bool, @autoclosure () -> String) -> Void) {
        let users = conference.users
        let streams = conference.streams
        for (id, client) in clients {
            if outboxes[id]?.isAttached == true {
                require(client.disconnected == closed[id], "\(id) is not told of its end")
            }
            require(conference.user(id) != nil || closed[id] != nil, "\(id) is gone without a close")
            guard closed[id] == nil, outboxes[id]?.isAttached == true else { continue }
            require(client.users == users, "users of \(id): \(client.users) are not \(users)")
            require(client.streams == streams, "streams of \(id): \(client.streams) are not \(streams)")
            require(client.isMuteForced == conference.isMuteForced, "mute state of \(id)")
            require(client.recorded == Set(conference.recordedStreams), "recorded streams of \(id)")
            require(client.isShareLocked == conference.isShareLocked, "share lock of \(id)")
            require(client.host == conference.host, "host of \(id)")
            checkSubsessions(client, require)
        }
    }

    private func checkSubsessions(
        _ client: ModelClient, _ require: (Bool, @autoclosure () -> String) -> Void
    ) {
        let id = client.connection
        let isManager = conference.user(id).map { $0.role != .participant }
        require(client.isChatAllowed == conference.isChatAllowed, "chat of \(id)")
        require(client.subsessions.isManager == isManager, "\(id) is a manager: \(client.subsessions.isManager)")
        require(client.subsessions.status == conference.subsessionStatus, "subsessions of \(id)")
        let wishes = conference.subscriptions(of: id).map(\.stream)
        let parted = Set(wishes.filter { !isHeard(ModelMediaPlane.Leg(connection: id, stream: $0)) })
        require(client.parted == parted, "suspended of \(id): \(client.parted), not \(parted)")
        require(conference.location(of: id) != .mainSession || client.openHelp.isEmpty, "\(id) waits for help")
        require(client.openHelp.count <= 1, "\(id) waits for help twice")
        if conference.subsessionStatus != .started {
            require(client.openHelp.isEmpty && client.asked.isEmpty, "help for \(id) outlasts the subsessions")
            require(conference.subsessionList.allSatisfy(\.users.isEmpty), "somebody is in a subsession")
        }
        // Moves are announced up to 100 ms later.
        guard movesDue == nil else { return }
        let held = client.subsessions.subsessions.map { ($0.id, $0.name, Set($0.users)) }
        let real = conference.subsessionList.map { ($0.id, $0.name, Set($0.users)) }
        require(
            held.count == real.count && zip(held, real).allSatisfy { $0 == $1 }, "lists of \(id): \(held), not \(real)")
    }

    private func isHeard(_ leg: ModelMediaPlane.Leg) -> Bool {
        guard let stream = conference.stream(leg.stream) else { return false }
        return conference.location(of: stream.connection) == conference.location(of: leg.connection)
    }

    private func status(
        _ streams: [StreamInfo], _ has: KeyPath<StreamInfo, Bool>, _ isMuted: KeyPath<StreamInfo, Bool>,
        _ types: [VideoType]
    ) -> MediaStatus {
        let those = streams.filter { types.contains($0.videoType) && ($0[keyPath: has] || $0[keyPath: isMuted]) }
        return those.isEmpty ? .off : those.contains { $0[keyPath: has] } ? .on : .muted
    }
}

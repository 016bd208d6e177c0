import Conference
import Signaling

extension World {
    /// All that is wrong with the session as it stands; empty if all is well.
    func violations() -> [String] {
        deliverAll()
        var found = allFaults()
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { found.append(text()) } }
        let users = conference.users
        let streams = conference.streams

        // Exactly one host while somebody is there who may be it.
        let hosts = users.filter { $0.role == .host }.map(\.id)
        let able = users.contains { $0.kind == .client && conference.capabilities(of: $0.id)?.canHost == true }
        require(hosts.count == (able ? 1 : 0), "hosts \(hosts), able \(able)")
        require(conference.host == hosts.first, "host \(String(describing: conference.host)) is not \(hosts)")

        // Capabilities are never exceeded.
        for user in users {
            guard let capabilities = conference.capabilities(of: user.id) else {
                found.append("no capabilities: \(user.id)")
                continue
            }
            require(user.role == .participant || capabilities.canHost, "\(user.id) is \(user.role)")
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

        // No stream without its owner, and as lost as the owner is.
        for stream in streams {
            let owner = users.first { $0.id == stream.connection }
            require(owner != nil, "\(stream.id) has no owner")
            require(owner?.isConnected == !stream.isDropped, "\(stream.id) dropped: \(stream.isDropped)")
        }

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
        }
        require(legs == plane.legs, "legs \(plane.legs.keys) are not \(legs.keys)")
        for stream in conference.streams {
            require(plane.streams.contains(stream.id), "the media plane lacks \(stream.id)")
            for (kind, isMuted) in [(TrackKind.audio, stream.isAudioMuted), (.video, stream.isVideoMuted)] {
                let isMutedThere = plane.muted.contains(ModelMediaPlane.Kind(stream: stream.id, kind: kind))
                require(isMutedThere == isMuted, "\(stream.id) \(kind) is muted: \(isMuted), there \(isMutedThere)")
            }
        }
        if ended != nil { require(plane.streams.isEmpty && plane.legs.isEmpty, "media after the end") }
    }

    /// What each client holds is what is true.
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
            require(client.isShareLocked == conference.isShareLocked, "share lock of \(id)")
            require(client.host == conference.host, "host of \(id)")
        }
    }

    private func status(
        _ streams: [StreamInfo], _ has: KeyPath<StreamInfo, Bool>, _ isMuted: KeyPath<StreamInfo, Bool>,
        _ types: [VideoType]
    ) -> MediaStatus {
        let those = streams.filter { types.contains($0.videoType) && ($0[keyPath: has] || $0[keyPath: isMuted]) }
        return those.isEmpty ? .off : those.contains { $0[keyPath: has] } ? .on : .muted
    }
}

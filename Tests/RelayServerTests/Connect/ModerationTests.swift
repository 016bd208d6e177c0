import Signaling
import Testing

@Suite("Roles and moderation over the WebSocket")
struct ModerationTests {
    @Test("USR-3, USR-4, USR-5 host, manager and participant across three connections")
    func roles() async throws {
        try await withConnect { relay in
            let (host, a) = try await relay.join("Host", token: .host)
            let (manager, b) = try await relay.join("Manager", token: .host)
            let (guest, c) = try await relay.join("Guest")
            #expect(a.users[0].role == .host && b.users[1].role == .participant)

            // A participant may only rename itself.
            let forbidden: [any RequestBody] = [
                RenameRequest(user: a.connection, name: "x"),
                MuteUserRequest(user: a.connection),
                RequestUnmuteRequest(user: a.connection),
                MakeHostRequest(user: c.connection),
                SetManagerRequest(user: c.connection, isManager: true),
                RemoveUserRequest(user: a.connection), LockShareRequest(isLocked: true),
                ForceMuteAllRequest(), DisableForceMuteRequest(),
                LeaveRequest(endForAll: true),
            ]
            for request in forbidden { #expect(try await guest.ask(request)?.code == .notPermitted) }
            #expect(try await guest.ask(RenameRequest(user: c.connection, name: "Gil")) == nil)
            guard case .userChanged(let renamed) = try await host.next(.userChanged) else { return }
            #expect(renamed.user.name == "Gil" && renamed.user.id == c.connection)

            #expect(
                try await host.ask(SetManagerRequest(user: b.connection, isManager: true)) == nil)
            try await eventually("everybody sees the manager") {
                guest.events.contains { message in
                    guard case .userChanged(let body) = message.event else { return false }
                    return body.user.id == b.connection && body.user.role == .manager
                }
            }
            #expect(try await manager.ask(LockShareRequest(isLocked: true)) == nil)
            #expect(
                try await guest.next(.shareLockChanged) == .shareLockChanged(ShareLockChanged(isLocked: true)))
            #expect(try await manager.ask(RemoveUserRequest(user: a.connection))?.code == .notPermitted)
            #expect(try await manager.ask(RequestUnmuteRequest(user: c.connection)) == nil)
            let asked = try await guest.next(.unmuteRequested)
            #expect(asked == .unmuteRequested(UnmuteRequested(from: b.connection, kind: .audio)))

            // The role is handed over and back; the previous host becomes a participant.
            #expect(try await host.ask(MakeHostRequest(user: b.connection)) == nil)
            #expect(try await guest.next(.hostChanged) == .hostChanged(HostChanged(host: b.connection)))
            #expect(try await host.ask(LeaveRequest(endForAll: true))?.code == .notPermitted)
            #expect(try await host.ask(MakeHostRequest(user: a.connection))?.code == .notPermitted)
            #expect(try await manager.ask(MakeHostRequest(user: a.connection)) == nil)
            #expect(try await guest.next(.hostChanged) == .hostChanged(HostChanged(host: a.connection)))

            // The role passes on when the host leaves.
            #expect(try await host.ask(LeaveRequest()) == nil)
            #expect(try await guest.next(.hostChanged) == .hostChanged(HostChanged(host: b.connection)))
        }
    }

    @Test("USR-6 a removed user is told the reason and cannot join again with its token")
    func removal() async throws {
        try await withConnect { relay in
            let (host, _) = try await relay.join("Host", token: .host)
            let token = TestToken()
            let (guest, answer) = try await relay.join("Guest", token: token)
            #expect(try await host.ask(RemoveUserRequest(user: answer.connection)) == nil)
            #expect(try await guest.next(.disconnected) == .disconnected(Disconnected(reason: .removed)))
            #expect(try await guest.closing() == .init(code: 1000, reason: "removed"))
            let again = try await relay.connect()
            #expect(try await again.refusal(token: token)?.code == .tokenRevoked)
            let resume = ResumeRequest(resumeToken: answer.resumeToken, lastEvent: 0)
            #expect(try await again.request(resume) == .failure(SignalingError(.resumeExpired)))
            _ = try await again.join("Other")
        }
    }

    @Test("SES-5, SES-6 the host ends the session for all")
    func endForAll() async throws {
        try await withConnect { relay in
            let (host, _) = try await relay.join("Host", token: .host)
            let (guest, _) = try await relay.join("Guest")
            #expect(try await host.ask(LeaveRequest(endForAll: true)) == nil)
            for client in [host, guest] {
                #expect(try await client.closing().reason == "sessionEnded")
                #expect(client.events.last?.event == .disconnected(Disconnected(reason: .sessionEnded)))
            }
            try await eventually("it is gone") { await relay.liveSessions.gauges().sessions == 0 }
        }
    }

    @Test("ids of another session that a client guesses are refused")
    func strangers() async throws {
        try await withConnect { relay in
            let (ada, answer) = try await relay.join("Ada", session: "inside", token: .host)
            let (eve, _) = try await relay.join("Eve", session: "outside", token: .host)
            let before = await relay.liveSessions.gauges()
            let user = answer.connection
            for request: any RequestBody in [
                SignalRequest(type: "x", to: user), RemoveUserRequest(user: user),
                MakeHostRequest(user: user), MuteUserRequest(user: user),
                RequestUnmuteRequest(user: user), RenameRequest(user: user, name: "x"),
                SetManagerRequest(user: user, isManager: true),
            ] {
                #expect(try await eve.ask(request)?.code == .unknownUser, "\(request.method)")
            }
            let stream = StreamID(rawValue: "guess")
            let onStreams: [(any RequestBody, ErrorCode)] = [
                (SubscribeRequest(stream: stream), .unknownStream),
                (UnsubscribeRequest(stream: stream), .notSubscribed),
                (UnpublishRequest(stream: stream), .unknownStream),
                (ForceMuteStreamRequest(stream: stream), .unknownStream),
                (SetMutedRequest(stream: stream, kind: .audio, isMuted: false), .unknownStream),
                (AnswerRequest(revision: 1, sdp: "v=0"), .staleOffer),
            ]
            for (request, code) in onStreams {
                #expect(try await eve.ask(request)?.code == code, "\(request.method)")
            }
            // Before joining, only join, resume, ping and leave are allowed.
            let outside = try await relay.connect()
            for request: any RequestBody in [
                SignalRequest(type: "x"), ForceMuteAllRequest(),
                StatisticsRequest(), ReportIssueRequest(),
                PublishRequest(sdp: "", streams: []),
            ] {
                #expect(try await outside.ask(request)?.code == .notJoined, "\(request.method)")
            }
            for token in ["", "guess", String(answer.resumeToken.dropLast()), answer.connection.rawValue] {
                let resume = ResumeRequest(resumeToken: token, lastEvent: 0)
                #expect(
                    try await outside.request(resume) == .failure(SignalingError(.resumeExpired)))
            }
            #expect(await relay.liveSessions.gauges().users == before.users)
            #expect(ada.events.isEmpty && ada.closed == nil)
        }
    }

    @Test("TOK-3 a subscriber cannot publish")
    func capabilities() async throws {
        try await withConnect { relay in
            let (client, answer) = try await relay.join("Ada", token: .subscriber)
            #expect(!answer.capabilities.canPublish && answer.capabilities.canSubscribe)
            let stream = PublishRequest.Stream(name: "x", audioMid: "0")
            let request = PublishRequest(sdp: "v=0", streams: [stream])
            #expect(try await client.request(request).failure?.code == .notPermitted)
        }
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

import Signaling

/// Requests that need more than `Conference.rules`: the media engine, or an answer from outside of the session. `SessionCore.request` looks the
/// handler of a request up here; `Conference` alone carries out a request without one.
enum SessionHandlers {
    static let all = RequestHandlers(entry + media + moves)

    private static let entry: [RequestHandlers.Row] = [
        .init(JoinRequest.self) { session, _, call in session.refuse(call, SignalingError(.alreadyJoined)) },
        .init(ResumeRequest.self) { session, _, call in session.refuse(call, SignalingError(.alreadyJoined)) },
        // The answer follows when the transports of the user are closed (USR-12).
        .init(RemoveUserRequest.self) { session, request, call in
            session.applyRules(to: request, call, waitsForEngine: true)
        },
        .init(StatisticsRequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            session.measure(call.client) { session.finish(call, .success($0)) }
        },
        .init(ReportIssueRequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            session.report(request, of: call.client) { session.finish(call, $0) }
        },
    ]

    private static let media: [RequestHandlers.Row] = [
        .init(PublishRequest.self) { session, request, call in session.publish(request, call) },
        .init(SubscribeRequest.self) { session, request, call in
            if let transport = request.transport,
                let objection = session.choose(transport, for: call.client.id, call.socket)
            {
                return session.refuse(call, objection)
            }
            session.applyRules(to: request, ordering: request.stream, call)
        },
        .init(UpdateSubscriptionRequest.self) { session, request, call in
            session.applyRules(to: request, ordering: request.stream, call)
        },
        .init(UnsubscribeRequest.self) { session, request, call in
            session.applyRules(to: request, ordering: request.stream, call)
        },
        .init(AnswerRequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            session.answer(request, call)
        },
        .init(RestartICERequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            session.restartSubscriber(call)
        },
    ]

    private static let moves: [RequestHandlers.Row] = [
        .init(JoinSubsessionRequest.self) { session, request, call in session.move(request, call) },
        .init(ReturnToMainSessionRequest.self) { session, request, call in session.move(request, call) },
        .init(AnswerHelpRequest.self) { session, request, call in session.move(request, call) },
    ]
}

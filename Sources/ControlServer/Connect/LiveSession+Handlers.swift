import Signaling

extension LiveSession {
    /// Requests that need more than `Conference.rules`: the media engine, or an answer from outside of the session.
    static let handlers: RequestHandlers = {
        var handlers = RequestHandlers()
        addEntryHandlers(to: &handlers)
        addMediaHandlers(to: &handlers)
        addMoveHandlers(to: &handlers)
        return handlers
    }()

    private static func addEntryHandlers(to handlers: inout RequestHandlers) {
        handlers.add(JoinRequest.self) { session, _, call in session.refuse(call, SignalingError(.alreadyJoined)) }
        handlers.add(ResumeRequest.self) { session, _, call in session.refuse(call, SignalingError(.alreadyJoined)) }
        // The answer follows when the transports of the user are closed (USR-12).
        handlers.add(RemoveUserRequest.self) { session, request, call in
            await session.applyRules(to: request, call, waitsForEngine: true)
        }
        handlers.add(StatisticsRequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            session.finish(call, await session.statistics(of: call.client))
        }
        handlers.add(ReportIssueRequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            session.finish(call, await session.report(request, of: call.client))
        }
    }

    private static func addMediaHandlers(to handlers: inout RequestHandlers) {
        handlers.add(PublishRequest.self) { session, request, call in
            await session.publish(request, call)
        }
        handlers.add(SubscribeRequest.self) { session, request, call in
            if let transport = request.transport,
                let objection = session.choose(transport, for: call.client.id, call.socket)
            {
                return session.refuse(call, objection)
            }
            await session.applyRules(to: request, ordering: request.stream, call)
        }
        handlers.add(UpdateSubscriptionRequest.self) { session, request, call in
            await session.applyRules(to: request, ordering: request.stream, call)
        }
        handlers.add(UnsubscribeRequest.self) { session, request, call in
            await session.applyRules(to: request, ordering: request.stream, call)
        }
        handlers.add(AnswerRequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            await session.answer(request, call)
        }
        handlers.add(RestartICERequest.self) { session, request, call in
            guard session.isAllowed(request, call) else { return }
            await session.restartSubscriber(call)
        }
    }

    private static func addMoveHandlers(to handlers: inout RequestHandlers) {
        handlers.add(JoinSubsessionRequest.self) { session, request, call in await session.move(request, call) }
        handlers.add(ReturnToMainSessionRequest.self) { session, request, call in await session.move(request, call) }
        handlers.add(AnswerHelpRequest.self) { session, request, call in await session.move(request, call) }
    }
}

import Conference
import Messaging
import Signaling

/// Access of a WebSocket to the conversations of its user, within a session or without one.
extension ClientSession {
    /// - Returns: false if the connection is over.
    mutating func converse(_ message: RequestMessage) async -> Bool {
        guard socket.backlog.bytes <= messages.configuration.unsentBytes else { return await refuseSlow() }
        do throws(SignalingError) {
            if let request = message.request as? LoginRequest {
                try await login(request, message.id)
            } else if let request = MessagingRequest(message.request) {
                guard let user else {
                    _ = try messages.database()
                    throw loginRefusal ?? SignalingError(.notLoggedIn)
                }
                try await messages.request(request, from: user, id: message.id, socket)
            } else {
                throw SignalingError(.unknownMethod)
            }
        } catch {
            refuse(message.id, error)
        }
        return true
    }

    private mutating func login(_ request: LoginRequest, _ id: UInt32) async throws(SignalingError) {
        try check(request.version)
        _ = try messages.database()
        let (key, holder) = try await identified(request)
        guard user == nil || user == key else {
            throw SignalingError(.notPermitted, "this connection is logged in as another user", field: "token")
        }
        var lease = loginLease
        if membership == nil, lease == nil, let holder {
            lease = try liveSessions.resources.lease(.participants, for: holder)
            socket.count(for: holder, in: liveSessions.resources)
        }
        // `messages.login` has answered a refusal; the socket may try again, as any user.
        guard try await messages.login(request, key, id: id, socket) else { return }
        loginLease = lease
        user = key
        loginRefusal = nil
        onJoin()
    }

    /// Returns the user who logs in: from the request's token, else the user of this connection, else from the handshake's token.
    ///
    /// - Returns: the user, and the holder of the connection if a token was sent for it.
    private func identified(
        _ request: LoginRequest
    ) async throws(SignalingError) -> (user: UserKey, holder: ResourceHolder?) {
        if request.token == nil, let user { return (user, nil) }
        guard let token = request.token ?? token else { throw SignalingError(.tokenMissing, field: "token") }
        let verified = try await liveSessions.verifier.verify(token, session: nil, now: ControlClock.wall).get()
        guard let identity = verified.identity else {
            throw SignalingError(.identityMissing, "the token has no user_identity", field: "token")
        }
        return (UserKey(app: verified.app, id: identity), verified.holder(address: socket.address))
    }

    /// Opens the user's conversations after a join with an identity.
    mutating func open(_ token: VerifiedToken) {
        guard let identity = token.identity else { return }
        open(UserKey(app: token.app, id: identity))
    }

    mutating func open(_ key: UserKey) {
        guard user == nil, case .open = messages.storage else { return }
        do throws(SignalingError) {
            try messages.enter(key, socket)
            user = key
            loginRefusal = nil
        } catch {
            // The user has too many sockets: the session continues without conversations, and requests for them return this error.
            loginRefusal = error
        }
    }

    /// Ends the delivery of conversation events to the socket.
    mutating func logOut() {
        guard let user else { return }
        messages.leave(user, socket)
        self.user = nil
        loginLease = nil
    }
}

extension RequestBody {
    /// Whether the request needs a user in place of a session: `login`, or one about conversations.
    var isOfConversations: Bool { !Self.permission.isDisjoint(with: [.identity, .user]) }
}

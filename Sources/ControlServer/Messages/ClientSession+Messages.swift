import Conference
import Messaging
import Signaling

/// A WebSocket's way to the conversations of its user, in a session or outside.
extension ClientSession {
    /// - Returns: false where the connection is over.
    mutating func converse(_ message: RequestMessage) async -> Bool {
        guard socket.backlog.bytes <= messages.configuration.unsentBytes else { return await refuseSlow() }
        do throws(SignalingError) {
            switch message.request {
            case .login(let request): try await login(request, message.id)
            case .messaging(let request):
                guard let user else {
                    _ = try messages.database()
                    throw loginRefusal ?? SignalingError(.notLoggedIn)
                }
                try await messages.request(request, from: user, id: message.id, socket)
            default: throw SignalingError(.unknownMethod)
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
            throw SignalingError(.notPermitted, "this connection is another user's", field: "token")
        }
        var lease = loginLease
        if place == nil, lease == nil, let holder {
            lease = try liveSessions.resources.lease(.participants, for: holder)
            socket.count(for: holder, in: liveSessions.resources)
        }
        // A refusal is answered there; the socket may try again, as whoever it likes.
        guard try await messages.login(request, key, id: id, socket) else { return }
        loginLease = lease
        user = key
        loginRefusal = nil
        onJoin()
    }

    /// Who logs in: whom the request's token names, else who joined, else whom the handshake's token names.
    ///
    /// - Returns: the user, and the holder of the connection if a token was shown for it.
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

    /// A join with an identity opens its conversations as well.
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
            // Too many of the user's sockets: the session goes on without, and a request says so.
            loginRefusal = error
        }
    }

    /// The socket is told of nothing any more.
    mutating func logOut() {
        guard let user else { return }
        messages.leave(user, socket)
        self.user = nil
        loginLease = nil
    }
}

import Conference
import MediaBase
import NIOConcurrencyHelpers
import Signaling

/// Wrong passwords of all sessions. A live session asks and counts without a pause between the two, and there is one of it, so guesses that
/// come at the same time are counted one by one.
final class PasswordGuard: Sendable {
    private let limiter: NIOLockedValueBox<PasswordLimiter>

    init(perMinute: Int) {
        limiter = NIOLockedValueBox(PasswordLimiter(perMinute: perMinute))
    }

    /// Looks at a password by `body`, where the address may try one at all.
    ///
    /// - Parameters:
    ///   - password: nil or empty: nothing is tried.
    ///   - address: see `ClientAddress`.
    ///   - token: of the client; nil if it has shown none.
    func attempt<R>(
        _ password: String?, from address: String, token: TokenFingerprint?, at session: SessionKey,
        _ body: () -> Result<R, SignalingError>
    ) -> Result<R, SignalingError> {
        guard let password, !password.isEmpty else { return body() }
        let now = ControlClock.now
        let refusal = limiter.withLockedValue { limiter -> SignalingError? in
            do throws(SignalingError) {
                try limiter.check(address: address, token: token, session: session, now: now)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { return .failure(refusal) }
        let result = body()
        if case .failure(let error) = result, error.code == .passwordWrong {
            limiter.withLockedValue {
                $0.recordWrong(address: address, token: token, session: session, now: now)
            }
        }
        return result
    }
}

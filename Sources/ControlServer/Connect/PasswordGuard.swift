import Conference
import MediaBase
import NIOConcurrencyHelpers
import Signaling

/// Counts wrong passwords of all sessions. The actor of a session checks and counts a password without suspending in between, so concurrent
/// guesses are counted one by one.
final class PasswordGuard: Sendable {
    private let limiter: NIOLockedValueBox<PasswordLimiter>

    init(perMinute: Int) {
        limiter = NIOLockedValueBox(PasswordLimiter(perMinute: perMinute))
    }

    /// Checks a password with `body`, unless the address has guessed too often.
    ///
    /// - Parameters:
    ///   - password: nil or empty: no attempt is counted.
    ///   - address: see `ClientAddress`.
    ///   - token: fingerprint of the client's token; nil if it sent none.
    func attempt<R>(
        _ password: String?, from address: String, token: TokenFingerprint?, at session: SessionKey,
        now: MediaTime, _ body: () -> Result<R, SignalingError>
    ) -> Result<R, SignalingError> {
        guard let password, !password.isEmpty else { return body() }
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

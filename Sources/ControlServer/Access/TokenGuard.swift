import Conference
import MediaBase
import NIOConcurrencyHelpers
import Signaling

/// Compares the tokens of requests with a static token, and refuses addresses that guess. One lock covers check, comparison and count, so
/// that concurrent guesses are counted one by one.
final class TokenGuard: Sendable {
    enum Verdict: Equatable {
        case right
        /// The token is missing or wrong.
        case wrong(Problem)
        /// The address has sent too many wrong tokens; its token was not compared.
        case refused(Problem)
    }

    private let limiter: NIOLockedValueBox<WrongTokenLimiter>

    /// - Parameter perMinute: wrong tokens per minute after which an address is refused.
    init(perMinute: Int) {
        limiter = NIOLockedValueBox(WrongTokenLimiter(perMinute: perMinute))
    }

    /// Judges the `Authorization` field of a request.
    ///
    /// - Parameters:
    ///   - address: see `ClientAddress`.
    ///   - isGuess: whether a wrong token counts as a guess; false if the token may be meant for another check, such as a session token.
    func judge(
        _ field: String?, by token: BearerToken, from address: String, isGuess: Bool = true,
        now: MediaTime = ControlClock.now
    ) -> Verdict {
        limiter.withLockedValue { limiter in
            do throws(SignalingError) {
                try limiter.check(address, now: now)
            } catch {
                return .refused(Problem(error))
            }
            guard let problem = token.objection(to: field) else { return .right }
            if isGuess, field.flatMap(ConnectHandshake.bearer) != nil { limiter.recordWrong(address, now: now) }
            return .wrong(problem)
        }
    }
}

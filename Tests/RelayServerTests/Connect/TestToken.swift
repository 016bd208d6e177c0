import ControlServer
import Foundation
import Signaling

/// A token without a signature. `TokenTests` cover signatures.
struct TestToken: Codable, Sendable {
    var app = "app"
    /// Nil: any session.
    var topic: String?
    var identity: String?
    var data: String?
    var capabilities = Capabilities(canPublish: true)
    /// Error with which the verifier refuses the token.
    var refusal: ErrorCode?
    /// Makes each token distinct.
    var serial = UInt64.random(in: .min ... .max)

    static var host: TestToken {
        TestToken(
            capabilities: Capabilities(
                canPublish: true, canForceMute: true, canForceDisconnect: true, canHost: true))
    }

    static var subscriber: TestToken { TestToken(capabilities: Capabilities(canPublish: false)) }

    var text: String { (try? JSONEncoder().encode(self).base64EncodedString()) ?? "" }
}

struct TestVerifier: TokenVerifier {
    func verify(_ token: String, session: String?, now: Int64) async -> Result<VerifiedToken, SignalingError> {
        guard let data = Data(base64Encoded: token), let claims = try? JSONDecoder().decode(TestToken.self, from: data)
        else { return .failure(SignalingError(.tokenMalformed)) }
        if let refusal = claims.refusal { return .failure(SignalingError(refusal)) }
        if let session, let topic = claims.topic, topic.lowercased() != session {
            return .failure(SignalingError(.tokenTopicMismatch))
        }
        return .success(
            VerifiedToken(
                app: claims.app, session: session ?? claims.topic ?? "", identity: claims.identity, data: claims.data,
                capabilities: claims.capabilities, expiresAt: now + 3_600_000, fingerprint: String(claims.serial)))
    }
}

import Signaling
import Testing

@testable import ControlServer

@Suite("CLU-3: resume tokens and their keys")
struct SecretTests {
    @Test("the key of a resume token does not contain it, and other tokens have other keys")
    func keys() {
        let tokens = (0..<100).map { _ in Secret.resumeToken(in: SessionID(rawValue: "session")) }
        let keys = tokens.map { Secret.key(ofResumeToken: $0) }
        #expect(Set(keys).count == 100)
        for (token, key) in zip(tokens, keys) {
            #expect(key.utf8.count == 44 && !token.contains(key) && !key.contains(token))
            #expect(Secret.key(ofResumeToken: token) == key)
            #expect(Secret.session(inResumeToken: token) == SessionID(rawValue: "session"))
        }
    }
}

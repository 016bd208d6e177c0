import MillraceTestKit
import SDP
import Testing

@Suite struct ICECredentialsTests {
    @Test func randomOnesAreAllowedAndDiffer() {
        var generator = SeededGenerator(seed: 1)
        let made = (0..<1000).map { _ in ICECredentials.random(using: &generator) }
        #expect(Set(made.map(\.ufrag)).count == 1000)
        #expect(made.allSatisfy { ICECredentials(ufrag: $0.ufrag, password: $0.password) == $0 })
    }

    @Test(arguments: [("abc", 22), ("abcd", 21), ("ab:d", 22), ("abcd", 257)])
    func whatIsNotAllowedIsRefused(ufrag: String, passwordLength: Int) {
        #expect(ICECredentials(ufrag: ufrag, password: String(repeating: "p", count: passwordLength)) == nil)
    }
}

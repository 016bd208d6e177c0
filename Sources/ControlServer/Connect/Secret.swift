import Cryptography
import Foundation
import Signaling

/// Ids and resume tokens that cannot be guessed, from the system's random numbers.
enum Secret {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    /// Returns an id of 100 random bits.
    static func id() -> String { text(20) }

    /// Returns a token of 160 random bits.
    static func token() -> String { text(32) }

    /// Returns a resume token. In a cluster it begins with the session's id, so that any relay finds the home relay of a client that resumes.
    static func resumeToken(in session: SessionID?) -> String { (session.map { "\($0)." } ?? "") + token() }

    /// Returns the key under which a resume token is kept: its SHA-256, so that no copy of the relay's state lets anyone resume.
    static func key(ofResumeToken token: String) -> String {
        Data(HashFunction.sha256.digest(of: token.utf8)).base64EncodedString()
    }

    /// Returns the session that a resume token of a cluster belongs to.
    static func session(inResumeToken token: String) -> SessionID? {
        guard let end = token.firstIndex(of: ".") else { return nil }
        return SessionID(rawValue: String(token[..<end]))
    }

    /// Returns random text with 5 bits per character.
    private static func text(_ characters: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        var bits: UInt64 = 0
        var left = 0
        for _ in 0..<characters {
            if left < 5 {
                bits = generator.next()
                left = 60
            }
            text.append(alphabet[Int(bits & 31)])
            bits >>= 5
            left -= 5
        }
        return text
    }
}

import Foundation
import Signaling

extension ResultMessage {
    /// Decodes the relay's answer.
    /// - Throws: `malformedMessage` if it cannot be decoded.
    static func read(_ message: [UInt8]) throws(SignalingError) -> Result<Answer, SignalingError> {
        do {
            return try JSONDecoder().decode(ResultMessage<Answer>.self, from: Data(message)).result
        } catch {
            throw SignalingError(.malformedMessage, "the relay's answer cannot be decoded: \(error)")
        }
    }
}

import Foundation
import Signaling

extension ResultMessage {
    /// Reads the relay's answer.
    /// - Throws: `malformedMessage` for one that cannot be read.
    static func read(_ message: [UInt8]) throws(SignalingError) -> Result<Answer, SignalingError> {
        do {
            return try JSONDecoder().decode(ResultMessage<Answer>.self, from: Data(message)).result
        } catch {
            throw SignalingError(.malformedMessage, "the relay's answer cannot be read: \(error)")
        }
    }
}

import NIOCore
import Signaling

/// Encoding of join answers. Answers of one session list mostly the same users, and encoding a page of a hundred costs two milliseconds, so
/// that each user is encoded once while it stays on the page.
struct JoinAnswerTexts {
    private struct Listed {
        let user: UserInfo
        let text: ByteBuffer
    }

    /// Users of the last answer, in its order.
    private var page: [Listed] = []

    /// Returns the message of an answer.
    /// - Throws: `messageTooLarge` for a message above the size that clients must accept.
    mutating func message(_ request: UInt32, _ answer: JoinAnswer) throws(SignalingError) -> ByteBuffer {
        var message = ByteBuffer()
        message.writeString("{\"id\":\(request),\"result\":")
        try write(answer, to: &message)
        message.writeString("}")
        try MessageCodec.checkSize(message.readableBytes)
        return message
    }

    /// Returns the message of the answer to a resume with a snapshot.
    /// - Throws: `messageTooLarge` for a message above the size that clients must accept.
    mutating func message(
        _ request: UInt32, _ answer: ResumeRequest.Answer, snapshot: JoinAnswer
    ) throws(SignalingError) -> ByteBuffer {
        var message = ByteBuffer()
        message.writeString("{\"id\":\(request),\"result\":")
        do {
            message.writeBytes(try MessageCodec.encoded(answer).dropLast())
        } catch {
            throw SignalingError(.internalError)
        }
        message.writeString(",\"snapshot\":")
        try write(snapshot, to: &message)
        message.writeString("}}")
        try MessageCodec.checkSize(message.readableBytes)
        return message
    }

    private mutating func write(_ answer: JoinAnswer, to message: inout ByteBuffer) throws(SignalingError) {
        do {
            try list(answer.users)
            message.writeBytes(try MessageCodec.encoded(JoinAnswer.WithoutUsers(answer: answer)).dropLast())
        } catch {
            // Strings and numbers always encode.
            throw SignalingError(.internalError)
        }
        message.writeString(",\"users\":[")
        for (index, listed) in page.enumerated() {
            if index > 0 { message.writeInteger(UInt8(ascii: ",")) }
            message.writeImmutableBuffer(listed.text)
        }
        message.writeString("]}")
    }

    private mutating func list(_ users: [UserInfo]) throws {
        if page.count > users.count { page.removeLast(page.count - users.count) }
        for (index, user) in users.enumerated() {
            if index < page.count, page[index].user == user { continue }
            let listed = Listed(user: user, text: ByteBuffer(data: try MessageCodec.encoded(user)))
            if index < page.count { page[index] = listed } else { page.append(listed) }
        }
    }
}

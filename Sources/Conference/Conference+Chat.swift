import MediaBase
import Signaling

/// Chat of the session (CHT-1). A message reaches only the subsession, or the main session, that its sender is in
/// (SUB-6). The server keeps no history.
extension Conference {
    mutating func chat(
        _ request: ChatRequest, from sender: ConnectionID, now: MediaTime, wallClock: Int64
    ) throws(SignalingError) -> ChatRequest.Answer {
        let author = participants[sender].map { ChatMemory.Sender($0.info) } ?? .connection(sender)
        // The client missed the first answer. It gets the same one, even if chat is disabled by now.
        if let answer = try chatMemory.answer(to: request, from: author) { return answer }
        guard isChatAllowed else { throw SignalingError(.chatDisabled) }
        if let objection = request.objection { throw objection }
        let location = subsessions.location(of: sender)
        if let to = request.to {
            guard participants[to]?.isClient == true, subsessions.location(of: to) == location else {
                throw SignalingError(.unknownUser, "no participant of that id is in the same subsession", field: "to")
            }
        }
        try participants[sender]?.rates.admit(.chat, limits, now: now)
        chatMessages += 1
        let message = ChatReceived(
            message: ChatMessageID(rawValue: "m\(chatMessages)"), from: sender,
            name: participants[sender].flatMap { $0.isListed ? nil : $0.info.name }, to: request.to, text: request.text,
            time: wallClock, subsession: location.subsession)
        if let to = request.to {
            // The sender gets its own message, as for a message to all; once if it is also the receiver.
            for id in to == sender ? [sender] : [to, sender] { tell(id, .chat(message)) }
        } else {
            tell(audience(of: location), .chat(message))
        }
        let answer = ChatRequest.Answer(message: message.message, time: wallClock)
        chatMemory.insert(request, from: author, answer)
        return answer
    }

    mutating func setChatAllowed(_ isAllowed: Bool) {
        guard isChatAllowed != isAllowed else { return }
        isChatAllowed = isAllowed
        tellAll(.chatAllowedChanged(ChatAllowedChanged(isAllowed: isAllowed)))
    }
}

import MediaBase
import Signaling

/// Limits of the time that the media plane has for publish requests and admissions. A mute of a stream waits for a request in progress that
/// may open the stream with the state before the mute, so an unlimited request would delay the mute without limit.
extension SessionMedia {
    /// Time from the first order of a publish request or admission to its answer. It is shorter than the time that clients wait for the
    /// answer to a request.
    static let requestTime = MediaTime.seconds(10)

    mutating func limitTime(of request: MediaRequestID, _ client: ConnectionID, now: MediaTime) {
        timeLimits.append((now + Self.requestTime, request, client))
    }

    mutating func endTime(of request: MediaRequestID) { timeLimits.removeAll { $0.request == request } }

    /// Fails the requests whose time is over.
    mutating func expire(_ now: MediaTime) {
        let late = timeLimits.prefix { $0.due <= now }
        timeLimits.removeFirst(late.count)
        let refusal = MediaRefusal.error(
            SignalingError(
                .internalError, "the media engine has not answered for \(Int(Self.requestTime.seconds)) s",
                retryAfter: 5))
        for (_, request, id) in late where !expireVisitingSubscriber(id, request, refusal) {
            expirePublishing(id, request, refusal)
        }
    }

    /// Fails a publish request. A peer that it may have changed is closed, because its state is unknown: the client has to open another
    /// one. A peer that it opens later is closed when it is known.
    private mutating func expirePublishing(_ id: ConnectionID, _ request: MediaRequestID, _ refusal: MediaRefusal) {
        guard let publishing = members[id]?.publishing, publishing.id == request else { return }
        if let ticket = publishing.ticket { abandon(ticket) }
        leavePublication(of: id)
        if let peer = members[id]?.publisher?.id {
            close(peer)
            members[id]?.publishing?.isAnew = true
        }
        endPublishing(id, refusal)
    }
}

package import Signaling

extension Conference {
    /// Admits a subscriber without signalling. Emits `closeMedia` for it when its token is removed, the session ends,
    /// or a password is set that it did not give.
    package mutating func admitVisitingSubscriber(_ admission: Admission) -> Result<Void, SignalingError> {
        do throws(SignalingError) {
            let offered = try admit(admission)
            guard admission.capabilities.canSubscribe else { throw SignalingError(.notPermitted) }
            guard visitingSubscribers.count < limits.visitingSubscribers else {
                throw SignalingError(
                    .limitReached, "the session already has \(limits.visitingSubscribers) subscribers",
                    limit: ConferenceLimits.visitingSubscribersKey)
            }
            visitingSubscribers[admission.connection] = VisitingSubscriber(
                token: admission.token, hasPassed: admission.isTrusted || password != nil && offered != nil)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Removes a subscriber without signalling that left or was closed. If the session only waited for a publisher, it
    /// ends with its last subscriber.
    @discardableResult
    package mutating func visitingSubscriberLeft(_ id: ConnectionID) -> [Effect] {
        visitingSubscribers[id] = nil
        if let publisherWait, visitingSubscribers.isEmpty { finish(publisherWait.reason) }
        return takeEffects()
    }

    package func isVisitingSubscriber(_ id: ConnectionID) -> Bool { visitingSubscribers[id] != nil }

    package var visitingSubscriberCount: Int { visitingSubscribers.count }

    mutating func endVisitingSubscribers(_ isOver: (VisitingSubscriber) -> Bool = { _ in true }) {
        // Sorted, so that the same calls produce the same effects.
        let leaving = visitingSubscribers.filter { isOver($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
        for id in leaving {
            visitingSubscribers[id] = nil
            command(.closeMedia(id))
        }
    }
}

package import Signaling

extension Conference {
    /// Somebody wants to watch without signalling. Who was let in is to be closed (`closeMedia`) when its token is removed, the session
    /// ends, or a password is set that it does not know.
    package mutating func admitViewer(_ admission: Admission) -> Result<Void, SignalingError> {
        do throws(SignalingError) {
            let offered = try admit(admission)
            guard admission.capabilities.canSubscribe else { throw SignalingError(.notPermitted) }
            guard viewers.count < limits.viewers else {
                throw SignalingError(
                    .limitReached, "the session has \(limits.viewers) viewers already",
                    limit: ConferenceLimits.viewersKey)
            }
            viewers[admission.connection] = Viewer(
                token: admission.token, hasPassed: admission.isTrusted || password != nil && offered != nil)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Its door has closed it, or it went. A session that waited for a publisher, for the sake of the viewers alone, ends with the last of them.
    @discardableResult
    package mutating func viewerLeft(_ id: ConnectionID) -> [Effect] {
        viewers[id] = nil
        if let publisherWait, viewers.isEmpty { finish(publisherWait.reason) }
        return takeEffects()
    }

    package func isViewing(_ id: ConnectionID) -> Bool { viewers[id] != nil }

    package var viewerCount: Int { viewers.count }

    mutating func endViewers(_ isOver: (Viewer) -> Bool = { _ in true }) {
        // In an order of their own, so that one history has one list of effects.
        let leaving = viewers.filter { isOver($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
        for id in leaving {
            viewers[id] = nil
            command(.closeMedia(id))
        }
    }
}

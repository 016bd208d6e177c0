package import Signaling

extension Conference {
    /// Admits a subscriber without signalling. Emits `closeMedia` for it when its token is removed, the session ends,
    /// or a password is set that it did not give.
    package mutating func admitViewer(_ admission: Admission) -> Result<Void, SignalingError> {
        do throws(SignalingError) {
            let offered = try admit(admission)
            guard admission.capabilities.canSubscribe else { throw SignalingError(.notPermitted) }
            guard viewers.count < limits.viewers else {
                throw SignalingError(
                    .limitReached, "the session already has \(limits.viewers) subscribers",
                    limit: ConferenceLimits.viewersKey)
            }
            viewers[admission.connection] = Viewer(
                token: admission.token, hasPassed: admission.isTrusted || password != nil && offered != nil)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Removes a subscriber without signalling that left or was closed. If the session only waited for a publisher, it
    /// ends with its last subscriber.
    @discardableResult
    package mutating func viewerLeft(_ id: ConnectionID) -> [Effect] {
        viewers[id] = nil
        if let publisherWait, viewers.isEmpty { finish(publisherWait.reason) }
        return takeEffects()
    }

    package func isViewing(_ id: ConnectionID) -> Bool { viewers[id] != nil }

    package var viewerCount: Int { viewers.count }

    mutating func endViewers(_ isOver: (Viewer) -> Bool = { _ in true }) {
        // Sorted, so that the same calls produce the same effects.
        let leaving = viewers.filter { isOver($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
        for id in leaving {
            viewers[id] = nil
            command(.closeMedia(id))
        }
    }
}

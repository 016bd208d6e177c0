/// Proof that no packet is pending in any router. Only `Worker.flush` makes it. Functions that change paths, consumers or producers take it, so
/// that the compiler rejects a call that could leave a pending packet with a stale path or producer.
struct Quiesced: ~Copyable {
    fileprivate init() {}
}

extension Worker {
    /// Sends all pending packets of all sessions.
    func flush() -> Quiesced {
        for session in dirty {
            session._withUnsafeGuaranteedRef {
                forward($0)
                $0.isDirty = false
            }
        }
        dirty.removeAll(keepingCapacity: true)
        return Quiesced()
    }
}

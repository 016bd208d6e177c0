import MediaBase

/// Preferences of a subscriber by stream.
extension [String: StreamPreferences] {
    /// Maximum number: as many as a subscriber may have subscriptions, and as many for subscriptions about to begin.
    private static var limit: Int { 400 }

    /// Sets the preferences for a stream. At the limit, those of streams that are not in `used` are removed first.
    mutating func set(
        _ preferences: StreamPreferences, ofStream stream: String, used: Set<String>, _ counters: inout EngineCounters
    ) throws(EngineError) {
        if count >= Self.limit { self = filter { used.contains($0.key) } }
        guard self[stream] != nil || count < Self.limit else {
            counters.refusedLimit &+= 1
            throw .limitReached(name: "preferences", limit: Self.limit)
        }
        self[stream] = preferences
    }
}

/// Replay lists of the SRTCP packets that one peer sends, one a sender SSRC (RFC 3711 section 3.3.2): the last 128 indices.
///
/// Memory is taken with the first authentic packet of an SSRC, and only for a fixed number of them: a client has one SSRC a
/// track that it publishes or receives.
struct SRTCPReplayWindows {
    static let maximumSSRCs = 16

    private struct Window {
        let ssrc: UInt32
        /// Highest index seen.
        var highest: UInt32
        /// Bit i of 128, low word first: index `highest - i` was seen.
        var recent: UInt64 = 1
        var older: UInt64 = 0
    }

    private var windows: [Window] = []

    /// Whether a packet of this index may still come.
    func check(ssrc: UInt32, index: UInt32) throws(SRTPFailure) {
        guard let window = windows.first(where: { $0.ssrc == ssrc }) else {
            guard windows.count < Self.maximumSSRCs else { throw .unknownStream }
            return
        }
        guard index <= window.highest else { return }
        let age = window.highest - index
        guard age < 128 else { throw .replay }
        let word = age < 64 ? window.recent : window.older
        guard word >> UInt64(age & 63) & 1 == 0 else { throw .replay }
    }

    /// Notes a packet that `check` let through and whose tag was right.
    mutating func note(ssrc: UInt32, index: UInt32) {
        guard let position = windows.firstIndex(where: { $0.ssrc == ssrc }) else {
            windows.append(Window(ssrc: ssrc, highest: index))
            return
        }
        let highest = windows[position].highest
        guard index > highest else {
            let age = highest - index
            if age < 64 {
                windows[position].recent |= 1 << UInt64(age)
            } else {
                windows[position].older |= 1 << UInt64(age - 64)
            }
            return
        }
        // Swift's smart shifts give zero for 64 and more, and shift the other way where the count is negative.
        let step = Int(clamping: index - highest)
        let recent = windows[position].recent
        let fallenOut = step < 64 ? recent >> (64 - step) : recent << (step - 64)
        windows[position].older = windows[position].older << step | fallenOut
        windows[position].recent = recent << step | 1
        windows[position].highest = index
    }
}

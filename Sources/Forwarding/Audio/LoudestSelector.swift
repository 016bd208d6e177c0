package import MediaBase

/// Selects the audio streams of a session that are forwarded: the loudest `limit` streams. Memory grows with the limit, not with the number
/// of publishers.
///
/// - Up to `limit` streams are all forwarded.
/// - Beyond that, an audible stream replaces a member that was silent for two seconds, with its first packet.
/// - If all members are audible, a challenger replaces the softest one when it is 6 dB louder, or 1 dB louder for a second. A stream
///   admitted this way stays for at least a second, which limits the changes to `limit` per second.
/// - A stream without levels (RFC 6464) cannot be ranked. It is always forwarded, outside the limit.
package struct LoudestSelector: Sendable {
    package enum Decision: Hashable, Sendable {
        case forward
        case withhold
        /// Forward; this is the first packet since the stream was admitted. Earlier packets may have been withheld.
        case admitted
    }

    package static let defaultLimit = 10
    /// -65 dBov: softer packets do not replace a member.
    package static let softestAudible: UInt8 = 65
    /// Bonus for speech over other audio, in decibels.
    package static let voiceBonus = 6.0
    package static let silence = MediaTime.milliseconds(2000)
    /// Lead in decibels for immediate admission.
    package static let clearMargin = 6.0
    /// Lead in decibels for admission after `hold`.
    package static let slightMargin = 1.0
    package static let hold = MediaTime.milliseconds(1000)
    package static let shortestStay = MediaTime.milliseconds(1000)
    /// Fall of a member's rank in decibels per second: small enough that a pause for breath costs little.
    private static let fall = 6.0
    /// Time for which the softest member is cached. Searching for it is the only step whose cost grows with `limit`.
    private static let searchInterval = MediaTime.milliseconds(20)
    private static let trial = MediaTime.milliseconds(200)
    /// A challenger that paused for longer starts from the beginning.
    private static let challengePause = MediaTime.milliseconds(300)

    private struct Member: Sendable {
        var meter: LoudnessMeter
        var lastAudible: MediaTime?
        var safeUntil: MediaTime
        func isSilent(now: MediaTime) -> Bool { lastAudible.map { now - $0 >= LoudestSelector.silence } ?? true }
    }

    /// Audible stream that is not a member.
    private struct Challenger: Sendable {
        var id: Int
        var meter: LoudnessMeter
        /// Time until which a louder stream with the same hash must wait, so that each challenger gets its trial.
        var triedUntil: MediaTime
        /// Time since which it has been slightly louder than the softest member.
        var louderSince: MediaTime?
    }

    /// Maximum number of members; 0 forwards all streams.
    package let limit: Int
    // Ids of `members`, in a separate array so that a search reads one or two cache lines.
    private var ids: [Int] = []
    private var members: [Member] = []
    // Challengers by hash, at most one each. If two challengers share a hash, the louder one is kept, since it is more likely to be
    // admitted.
    private var challengers: [Challenger?]
    private var softest: Int?
    private var nextSearch = MediaTime.zero
    /// Number of streams that replaced another one.
    package private(set) var replacements: UInt64 = 0

    package init(limit: Int = LoudestSelector.defaultLimit) {
        self.limit = max(0, limit)
        var capacity = 16
        while capacity < self.limit * 4, capacity < 4096 { capacity *= 2 }
        challengers = self.limit == 0 ? [] : Array(repeating: nil, count: capacity)
        ids.reserveCapacity(min(self.limit, 1024))
        members.reserveCapacity(min(self.limit, 1024))
    }

    /// Ids of the members, unordered.
    package var selected: [Int] { ids }

    /// Handles a packet of stream `id`.
    /// - Parameters:
    ///   - level: the packet's level, 0...127 -dBov; nil if the stream carries none.
    ///   - voice: the packet's voice flag.
    package mutating func receive(id: Int, level: UInt8?, voice: Bool, now: MediaTime) -> Decision {
        guard limit > 0, let level else { return .forward }
        let loudness = Double(127 - min(level, 127)) + (voice ? Self.voiceBonus : 0)
        let isAudible = level <= Self.softestAudible
        if let index = index(of: id) {
            members[index].meter.receive(loudness, now: now)
            if isAudible { members[index].lastAudible = now }
            return .forward
        }
        if ids.count < limit {
            ids.append(id)
            members.append(
                Member(
                    meter: LoudnessMeter(loudness, fall: Self.fall, now: now), lastAudible: isAudible ? now : nil,
                    safeUntil: .zero))
            softest = nil
            nextSearch = .zero
            return .admitted
        }
        guard isAudible else { return .withhold }
        return challenge(id, loudness, now)
    }

    /// Removes a stream that ended or was muted. Its slot is free at once.
    package mutating func remove(id: Int) {
        let home = home(id)
        if home < challengers.count, challengers[home]?.id == id { challengers[home] = nil }
        guard let index = index(of: id) else { return }
        ids.swapAt(index, ids.count - 1)
        members.swapAt(index, members.count - 1)
        ids.removeLast()
        members.removeLast()
        softest = nil
        nextSearch = .zero
    }

    @inline(__always)
    private func index(of id: Int) -> Int? {
        for index in 0..<ids.count where ids[index] == id { return index }
        return nil
    }

    @inline(__always)
    private func home(_ id: Int) -> Int {
        let spread = UInt64(bitPattern: Int64(id)) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: spread >> 40) & (challengers.count - 1)
    }

    private mutating func challenge(_ id: Int, _ loudness: Double, _ now: MediaTime) -> Decision {
        search(now)
        guard let index = softest else { return .withhold }
        if members[index].isSilent(now: now) {
            seat(id, LoudnessMeter(loudness, fall: Self.fall, now: now), at: index, safeUntil: .zero, now)
            return .admitted
        }
        let home = home(id)
        let bar = members[index].meter.loudness(now: now)
        guard var challenger = challenger(id, loudness, home, softest: bar, now) else { return .withhold }
        let lead = challenger.meter.loudness(now: now) - bar
        if lead < Self.slightMargin {
            challenger.louderSince = nil
        } else if challenger.louderSince == nil {
            challenger.louderSince = now
        }
        challengers[home] = challenger
        let hasHeld = challenger.louderSince.map { now - $0 >= Self.hold } ?? false
        guard lead >= Self.clearMargin || hasHeld, members[index].safeUntil <= now else { return .withhold }
        challengers[home] = nil
        seat(id, challenger.meter, at: index, safeUntil: now + Self.shortestStay, now)
        return .admitted
    }

    /// Returns the challenger updated with this packet, or nil if another one occupies its entry.
    private func challenger(
        _ id: Int, _ loudness: Double, _ home: Int, softest: Double, _ now: MediaTime
    ) -> Challenger? {
        if var known = challengers[home], !known.meter.isSilent(since: Self.challengePause, now: now) {
            if known.id == id {
                known.meter.receive(loudness, now: now)
                return known
            }
            guard known.triedUntil <= now, known.meter.loudness(now: now) < loudness else { return nil }
        }
        // The smoothed level starts below that of the softest member, so that a click of one packet does not win.
        let start = min(loudness, softest - Self.clearMargin)
        var meter = LoudnessMeter(start, fall: Self.fall, now: now - .milliseconds(20))
        meter.receive(loudness, now: now)
        return Challenger(id: id, meter: meter, triedUntil: now + Self.trial, louderSince: nil)
    }

    private mutating func seat(
        _ id: Int, _ meter: LoudnessMeter, at index: Int, safeUntil: MediaTime, _ now: MediaTime
    ) {
        ids[index] = id
        members[index] = Member(meter: meter, lastAudible: now, safeUntil: safeUntil)
        replacements &+= 1
        softest = nil
        nextSearch = .zero
    }

    /// Finds the member to replace first: the one that has been silent longest, else the softest one that may be replaced.
    private mutating func search(_ now: MediaTime) {
        guard now >= nextSearch else { return }
        nextSearch = now + Self.searchInterval
        softest = nil
        var least = Double.infinity
        for index in 0..<members.count {
            let member = members[index]
            let rank: Double
            if member.isSilent(now: now) {
                // Silent members rank below every loudness. A member without any audible packet ranks lowest.
                rank = member.lastAudible.map { -1 - (now - $0).seconds } ?? -.infinity
            } else if member.safeUntil <= now {
                rank = member.meter.loudness(now: now)
            } else {
                continue
            }
            if rank < least || softest == nil {
                least = rank
                softest = index
            }
        }
    }
}

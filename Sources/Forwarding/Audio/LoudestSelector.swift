package import MediaBase

/// Which audio streams of a session are forwarded: the loudest few. Its memory is that of the limit, whatever the number of publishers.
///
/// - Up to `limit` streams all pass.
/// - Beyond that, whoever makes a sound takes the place of a member that was silent for two seconds, with its first packet.
/// - Where all members are heard, a challenger takes the place of the softest one when it is louder by 6 dB, or louder at all for a
///   second; who took a place so keeps it for a second. That bounds the changes to `limit` a second.
/// - A stream without levels (RFC 6464) cannot be ranked and always passes, outside the limit.
package struct LoudestSelector: Sendable {
    package enum Decision: Hashable, Sendable {
        case forward
        case withhold
        /// Forward as well: the first packet since the stream came in. What came before it may have been withheld.
        case admitted
    }

    package static let defaultLimit = 10
    /// -65 dBov: nothing softer takes anybody's place.
    package static let softestAudible: UInt8 = 65
    /// Decibels that speech is preferred by over other sound.
    package static let voiceBonus = 6.0
    package static let silence = MediaTime.milliseconds(2000)
    /// Decibels to be admitted at once by.
    package static let clearMargin = 6.0
    /// Decibels to be admitted after `hold` by.
    package static let slightMargin = 1.0
    package static let hold = MediaTime.milliseconds(1000)
    package static let shortestStay = MediaTime.milliseconds(1000)
    /// Decibels a second that a member's rank falls by: a pause for breath costs few of them.
    private static let fall = 6.0
    /// How long the softest member stays known: searching for it is the one step that costs `limit`.
    private static let searchInterval = MediaTime.milliseconds(20)
    private static let trial = MediaTime.milliseconds(200)
    /// A challenger that paused for longer starts anew.
    private static let challengePause = MediaTime.milliseconds(300)

    private struct Member: Sendable {
        var meter: LoudnessMeter
        var lastAudible: MediaTime?
        var safeUntil: MediaTime
        func isSilent(now: MediaTime) -> Bool { lastAudible.map { now - $0 >= LoudestSelector.silence } ?? true }
    }

    /// One who is heard and has no place.
    private struct Challenger: Sendable {
        var id: Int
        var meter: LoudnessMeter
        /// Until when a louder one that wants the same place in the table has to wait, so that each gets its trial.
        var triedUntil: MediaTime
        /// Since when it is slightly louder than the softest member.
        var louderSince: MediaTime?
    }

    /// Places; 0: everything is forwarded.
    package let limit: Int
    // Apart from the members, so that a search runs over one or two cache lines.
    private var ids: [Int] = []
    private var members: [Member] = []
    // One place for each hash: of two who want it the louder is the one that may be admitted anyway.
    private var challengers: [Challenger?]
    private var softest: Int?
    private var nextSearch = MediaTime.zero
    /// Streams that took another one's place.
    package private(set) var replacements: UInt64 = 0

    package init(limit: Int = LoudestSelector.defaultLimit) {
        self.limit = max(0, limit)
        var capacity = 16
        while capacity < self.limit * 4, capacity < 4096 { capacity *= 2 }
        challengers = self.limit == 0 ? [] : Array(repeating: nil, count: capacity)
        ids.reserveCapacity(min(self.limit, 1024))
        members.reserveCapacity(min(self.limit, 1024))
    }

    /// Who has a place, in no order.
    package var selected: [Int] { ids }

    /// - Parameters:
    ///   - level: of the packet that came now, 0...127 -dBov; nil where the stream carries none.
    ///   - voice: the packet's voice flag.
    package mutating func receive(id: Int, level: UInt8?, voice: Bool, now: MediaTime) -> Decision {
        guard limit > 0, let level else { return .forward }
        let loudness = Double(127 - min(level, 127)) + (voice ? Self.voiceBonus : 0)
        let isAudible = level <= Self.softestAudible
        if let place = place(of: id) {
            members[place].meter.receive(loudness, now: now)
            if isAudible { members[place].lastAudible = now }
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

    /// Gone or muted: its place is free at once.
    package mutating func remove(id: Int) {
        let home = home(id)
        if home < challengers.count, challengers[home]?.id == id { challengers[home] = nil }
        guard let place = place(of: id) else { return }
        ids.swapAt(place, ids.count - 1)
        members.swapAt(place, members.count - 1)
        ids.removeLast()
        members.removeLast()
        softest = nil
        nextSearch = .zero
    }

    @inline(__always)
    private func place(of id: Int) -> Int? {
        for place in 0..<ids.count where ids[place] == id { return place }
        return nil
    }

    @inline(__always)
    private func home(_ id: Int) -> Int {
        let spread = UInt64(bitPattern: Int64(id)) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: spread >> 40) & (challengers.count - 1)
    }

    private mutating func challenge(_ id: Int, _ loudness: Double, _ now: MediaTime) -> Decision {
        search(now)
        guard let place = softest else { return .withhold }
        if members[place].isSilent(now: now) {
            seat(id, LoudnessMeter(loudness, fall: Self.fall, now: now), at: place, safeUntil: .zero, now)
            return .admitted
        }
        let home = home(id)
        let bar = members[place].meter.loudness(now: now)
        guard var challenger = challenger(id, loudness, home, softest: bar, now) else { return .withhold }
        let lead = challenger.meter.loudness(now: now) - bar
        if lead < Self.slightMargin {
            challenger.louderSince = nil
        } else if challenger.louderSince == nil {
            challenger.louderSince = now
        }
        challengers[home] = challenger
        let hasHeld = challenger.louderSince.map { now - $0 >= Self.hold } ?? false
        guard lead >= Self.clearMargin || hasHeld, members[place].safeUntil <= now else { return .withhold }
        challengers[home] = nil
        seat(id, challenger.meter, at: place, safeUntil: now + Self.shortestStay, now)
        return .admitted
    }

    /// The challenger after this packet; nil where another one has its place in the table.
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
        // It has to climb past the softest member: a click of one packet is not as loud as it seems.
        let start = min(loudness, softest - Self.clearMargin)
        var meter = LoudnessMeter(start, fall: Self.fall, now: now - .milliseconds(20))
        meter.receive(loudness, now: now)
        return Challenger(id: id, meter: meter, triedUntil: now + Self.trial, louderSince: nil)
    }

    private mutating func seat(
        _ id: Int, _ meter: LoudnessMeter, at place: Int, safeUntil: MediaTime, _ now: MediaTime
    ) {
        ids[place] = id
        members[place] = Member(meter: meter, lastAudible: now, safeUntil: safeUntil)
        replacements &+= 1
        softest = nil
        nextSearch = .zero
    }

    /// Finds the member that has to go first: the one that is silent longest, else the softest of those that may be replaced.
    private mutating func search(_ now: MediaTime) {
        guard now >= nextSearch else { return }
        nextSearch = now + Self.searchInterval
        softest = nil
        var least = Double.infinity
        for place in 0..<members.count {
            let member = members[place]
            let rank: Double
            if member.isSilent(now: now) {
                // Below every loudness; no packet at all counts as the longest silence.
                rank = member.lastAudible.map { -1 - (now - $0).seconds } ?? -.infinity
            } else if member.safeUntil <= now {
                rank = member.meter.loudness(now: now)
            } else {
                continue
            }
            if rank < least || softest == nil {
                least = rank
                softest = place
            }
        }
    }
}
